/*
 * Numbers of DWARF (version 5, section 7), and of GNU's extensions for split debug
 * information in version 4.
 */
#ifndef TRAMMEL_IMAGE_DWARF_CONSTANTS_H
#define TRAMMEL_IMAGE_DWARF_CONSTANTS_H

enum dwarf_tag {
	DW_TAG_array_type = 0x01,
	DW_TAG_class_type = 0x02,
	DW_TAG_enumeration_type = 0x04,
	DW_TAG_formal_parameter = 0x05,
	DW_TAG_lexical_block = 0x0b,
	DW_TAG_member = 0x0d,
	DW_TAG_pointer_type = 0x0f,
	DW_TAG_reference_type = 0x10,
	DW_TAG_compile_unit = 0x11,
	DW_TAG_structure_type = 0x13,
	DW_TAG_subroutine_type = 0x15,
	DW_TAG_typedef = 0x16,
	DW_TAG_union_type = 0x17,
	DW_TAG_common_block = 0x1a,
	DW_TAG_inheritance = 0x1c,
	DW_TAG_inlined_subroutine = 0x1d,
	DW_TAG_module = 0x1e,
	DW_TAG_subrange_type = 0x21,
	DW_TAG_with_stmt = 0x22,
	DW_TAG_base_type = 0x24,
	DW_TAG_const_type = 0x26,
	DW_TAG_enumerator = 0x28,
	DW_TAG_subprogram = 0x2e,
	DW_TAG_try_block = 0x32,
	DW_TAG_variant_part = 0x33,
	DW_TAG_variable = 0x34,
	DW_TAG_volatile_type = 0x35,
	DW_TAG_restrict_type = 0x37,
	DW_TAG_interface_type = 0x38,
	DW_TAG_namespace = 0x39,
	DW_TAG_partial_unit = 0x3c,
	DW_TAG_rvalue_reference_type = 0x42,
	DW_TAG_atomic_type = 0x47,
	DW_TAG_skeleton_unit = 0x4a,
};

enum dwarf_attribute {
	DW_AT_sibling = 0x01,
	DW_AT_location = 0x02,
	DW_AT_name = 0x03,
	DW_AT_byte_size = 0x0b,
	DW_AT_bit_offset = 0x0c,
	DW_AT_bit_size = 0x0d,
	DW_AT_stmt_list = 0x10,
	DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12,
	DW_AT_comp_dir = 0x1b,
	DW_AT_const_value = 0x1c,
	DW_AT_producer = 0x25,
	DW_AT_upper_bound = 0x2f,
	DW_AT_abstract_origin = 0x31,
	DW_AT_count = 0x37,
	DW_AT_data_member_location = 0x38,
	DW_AT_decl_file = 0x3a,
	DW_AT_decl_line = 0x3b,
	DW_AT_declaration = 0x3c,
	DW_AT_encoding = 0x3e,
	DW_AT_frame_base = 0x40,
	DW_AT_specification = 0x47,
	DW_AT_type = 0x49,
	DW_AT_entry_pc = 0x52,
	DW_AT_ranges = 0x55,
	DW_AT_call_line = 0x59,
	DW_AT_data_bit_offset = 0x6b,
	DW_AT_linkage_name = 0x6e,
	DW_AT_str_offsets_base = 0x72,
	DW_AT_addr_base = 0x73,
	DW_AT_rnglists_base = 0x74,
	DW_AT_dwo_name = 0x76,
	DW_AT_loclists_base = 0x8c,
	DW_AT_MIPS_linkage_name = 0x2007,
	DW_AT_GNU_dwo_name = 0x2130,
	DW_AT_GNU_dwo_id = 0x2131,
	DW_AT_GNU_ranges_base = 0x2132,
	DW_AT_GNU_addr_base = 0x2133,
	DW_AT_GNU_discriminator = 0x2136,
};

enum dwarf_form {
	DW_FORM_addr = 0x01,
	DW_FORM_data2 = 0x05,
	DW_FORM_data4 = 0x06,
	DW_FORM_data8 = 0x07,
	DW_FORM_string = 0x08,
	DW_FORM_data1 = 0x0b,
	DW_FORM_strp = 0x0e,
	DW_FORM_ref_addr = 0x10,
	DW_FORM_ref1 = 0x11,
	DW_FORM_ref_udata = 0x15,
	DW_FORM_indirect = 0x16,
	DW_FORM_sec_offset = 0x17,
	DW_FORM_strx = 0x1a,
	DW_FORM_addrx = 0x1b,
	DW_FORM_ref_sup4 = 0x1c,
	DW_FORM_strp_sup = 0x1d,
	DW_FORM_line_strp = 0x1f,
	DW_FORM_implicit_const = 0x21,
	DW_FORM_loclistx = 0x22,
	DW_FORM_rnglistx = 0x23,
	DW_FORM_ref_sup8 = 0x24,
	DW_FORM_strx1 = 0x25,
	DW_FORM_strx4 = 0x28,
	DW_FORM_addrx1 = 0x29,
	DW_FORM_addrx4 = 0x2c,
	DW_FORM_GNU_addr_index = 0x1f01,
	DW_FORM_GNU_str_index = 0x1f02,
	DW_FORM_GNU_ref_alt = 0x1f20,
	DW_FORM_GNU_strp_alt = 0x1f21,
};

enum dwarf_unit_type {
	DW_UT_compile = 1,
	DW_UT_type = 2,
	DW_UT_partial = 3,
	DW_UT_skeleton = 4,
	DW_UT_split_compile = 5,
	DW_UT_split_type = 6,
};

enum dwarf_range_entry {
	DW_RLE_end_of_list,
	DW_RLE_base_addressx,
	DW_RLE_startx_endx,
	DW_RLE_startx_length,
	DW_RLE_offset_pair,
	DW_RLE_base_address,
	DW_RLE_start_end,
	DW_RLE_start_length,
};

enum dwarf_location_entry {
	DW_LLE_end_of_list,
	DW_LLE_base_addressx,
	DW_LLE_startx_endx,
	DW_LLE_startx_length,
	DW_LLE_offset_pair,
	DW_LLE_default_location,
	DW_LLE_base_address,
	DW_LLE_start_end,
	DW_LLE_start_length,
};

/* Operations of expressions. */
enum dwarf_operation {
	DW_OP_addr = 0x03,
	DW_OP_plus_uconst = 0x23,
	DW_OP_reg0 = 0x50,
	DW_OP_reg31 = 0x6f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg31 = 0x8f,
	DW_OP_fbreg = 0x91,
	DW_OP_call_frame_cfa = 0x9c,
	DW_OP_addrx = 0xa1,
	DW_OP_GNU_addr_index = 0xfb,
};

/* DW_AT_encoding */
enum dwarf_encoding {
	DW_ATE_boolean = 0x02,
	DW_ATE_complex_float = 0x03,
	DW_ATE_float = 0x04,
	DW_ATE_signed = 0x05,
	DW_ATE_signed_char = 0x06,
};

enum dwarf_line_opcode {
	DW_LNS_extended,
	DW_LNS_copy,
	DW_LNS_advance_pc,
	DW_LNS_advance_line,
	DW_LNS_set_file,
	DW_LNS_set_column,
	DW_LNS_negate_stmt,
	DW_LNS_set_basic_block,
	DW_LNS_const_add_pc,
	DW_LNS_fixed_advance_pc,
};

enum dwarf_line_extended {
	DW_LNE_end_sequence = 1,
	DW_LNE_set_address,
	DW_LNE_define_file,
	DW_LNE_set_discriminator,
};

/* Meaning of a field in a directory or file entry of a line table. */
enum dwarf_line_content {
	DW_LNCT_path = 1,
	DW_LNCT_directory_index,
};

/* Columns of a package's index of units; only the ones that have the same number in
 * both versions. */
enum dwarf_index_column {
	DW_SECT_INFO = 1,
	DW_SECT_ABBREV = 3,
	DW_SECT_LINE = 4,
	DW_SECT_STR_OFFSETS = 6,
	DW_SECT_RNGLISTS = 8, /* in version 2: DW_SECT_MACRO */
};

#endif
