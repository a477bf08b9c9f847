! What caliper_mod.f90 calls of C: caliper/cali.h, cali-manager.h, cali-profile.h,
! wrapAnnotation.h, and fortran.c. Its own names begin with c_; the others are part of
! `caliper_mod` as they are.
module caliper_c
    use, intrinsic :: iso_c_binding, only: &
        C_INT, C_INT64_T, C_LONG, C_NULL_PTR, C_PTR, C_SIZE_T, c_bool, c_char, c_double
    implicit none

    integer, parameter :: cali_id_t = C_INT64_T

    ! The structs of C, all alike
    type, bind(c) :: cali_SHROUD_capsule_data
        type(C_PTR) :: addr = C_NULL_PTR
        integer(C_INT) :: idtor = 0
    end type

    ! Those that take no texts
    interface
        subroutine cali_init() &
                bind(c, name='cali_init')
            import
        end subroutine
        subroutine cali_mpi_init() &
                bind(c, name='cali_mpi_init')
            import
        end subroutine
        subroutine cali_flush(flush_opts) &
                bind(c, name='cali_flush')
            import
            integer(C_INT), value :: flush_opts
        end subroutine
        subroutine cali_begin_int(attr_id, val) &
                bind(c, name='cali_begin_int')
            import
            integer(cali_id_t), value :: attr_id
            integer(C_INT), value :: val
        end subroutine
        subroutine cali_end(attr_id) &
                bind(c, name='cali_end')
            import
            integer(cali_id_t), value :: attr_id
        end subroutine
        subroutine c_ScopeAnnotation_end(obj) &
                bind(c, name='cali_ScopeAnnotation_end')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_Annotation_delete(obj) &
                bind(c, name='cali_Annotation_delete')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_Annotation_begin_int(obj, val) &
                bind(c, name='cali_Annotation_begin_int')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            integer(C_INT), value :: val
        end subroutine
        subroutine c_Annotation_set_int(obj, val) &
                bind(c, name='cali_Annotation_set_int')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            integer(C_INT), value :: val
        end subroutine
        subroutine c_Annotation_end(obj) &
                bind(c, name='cali_Annotation_end')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        type(C_PTR) function c_ConfigManager_new(manager) &
                bind(c, name='cali_ConfigManager_new')
            import
            type(cali_SHROUD_capsule_data), intent(out) :: manager
        end function
        subroutine c_ConfigManager_delete(obj) &
                bind(c, name='cali_ConfigManager_delete')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        logical(c_bool) function c_ConfigManager_error(obj) &
                bind(c, name='cali_ConfigManager_error')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end function
        subroutine c_ConfigManager_start(obj) &
                bind(c, name='cali_ConfigManager_start')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_ConfigManager_stop(obj) &
                bind(c, name='cali_ConfigManager_stop')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_ConfigManager_flush(obj) &
                bind(c, name='cali_ConfigManager_flush')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        type(C_PTR) function c_BufferedRegionProfile_new(profile) &
                bind(c, name='cali_BufferedRegionProfile_new')
            import
            type(cali_SHROUD_capsule_data), intent(out) :: profile
        end function
        subroutine c_BufferedRegionProfile_delete(obj) &
                bind(c, name='cali_BufferedRegionProfile_delete')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_BufferedRegionProfile_start(obj) &
                bind(c, name='cali_BufferedRegionProfile_start')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_BufferedRegionProfile_stop(obj) &
                bind(c, name='cali_BufferedRegionProfile_stop')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_BufferedRegionProfile_clear(obj) &
                bind(c, name='cali_BufferedRegionProfile_clear')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_BufferedRegionProfile_fetch_exclusive_region_times(obj) &
                bind(c, name='cali_BufferedRegionProfile_fetch_exclusive_region_times')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        subroutine c_BufferedRegionProfile_fetch_inclusive_region_times(obj) &
                bind(c, name='cali_BufferedRegionProfile_fetch_inclusive_region_times')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end subroutine
        real(c_double) function c_BufferedRegionProfile_total_profiling_time(obj) &
                bind(c, name='cali_BufferedRegionProfile_total_profiling_time')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end function
        real(c_double) function c_BufferedRegionProfile_total_region_time(obj) &
                bind(c, name='cali_BufferedRegionProfile_total_region_time')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
        end function
    end interface

    ! fortran.c: texts, and how many bytes they have
    interface
        subroutine c_ScopeAnnotation_begin(name, name_bytes, region) &
                bind(c, name='califor_ScopeAnnotation_begin')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
            type(cali_SHROUD_capsule_data), intent(out) :: region
        end subroutine
        subroutine c_Annotation_new(key, key_bytes, annotation) &
                bind(c, name='califor_Annotation_new')
            import
            character(kind=c_char), intent(in) :: key(*)
            integer(C_SIZE_T), value :: key_bytes
            type(cali_SHROUD_capsule_data), intent(out) :: annotation
        end subroutine
        subroutine c_Annotation_new_with_properties(key, key_bytes, properties, annotation) &
                bind(c, name='califor_Annotation_new_with_properties')
            import
            character(kind=c_char), intent(in) :: key(*)
            integer(C_SIZE_T), value :: key_bytes
            integer(C_INT), value :: properties
            type(cali_SHROUD_capsule_data), intent(out) :: annotation
        end subroutine
        subroutine c_Annotation_begin_string(obj, val, val_bytes) &
                bind(c, name='califor_Annotation_begin_string')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: val(*)
            integer(C_SIZE_T), value :: val_bytes
        end subroutine
        subroutine c_Annotation_set_string(obj, val, val_bytes) &
                bind(c, name='califor_Annotation_set_string')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: val(*)
            integer(C_SIZE_T), value :: val_bytes
        end subroutine
        subroutine c_ConfigManager_set_default_parameter(obj, option, option_bytes, val, &
            val_bytes) &
                bind(c, name='califor_ConfigManager_set_default_parameter')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: option(*)
            integer(C_SIZE_T), value :: option_bytes
            character(kind=c_char), intent(in) :: val(*)
            integer(C_SIZE_T), value :: val_bytes
        end subroutine
        subroutine c_ConfigManager_set_default_parameter_for_config(obj, config, &
            config_bytes, option, option_bytes, val, val_bytes) &
                bind(c, name='califor_ConfigManager_set_default_parameter_for_config')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: config(*)
            integer(C_SIZE_T), value :: config_bytes
            character(kind=c_char), intent(in) :: option(*)
            integer(C_SIZE_T), value :: option_bytes
            character(kind=c_char), intent(in) :: val(*)
            integer(C_SIZE_T), value :: val_bytes
        end subroutine
        subroutine c_ConfigManager_add_config_spec(obj, spec, spec_bytes) &
                bind(c, name='califor_ConfigManager_add_config_spec')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: spec(*)
            integer(C_SIZE_T), value :: spec_bytes
        end subroutine
        subroutine c_ConfigManager_add_option_spec(obj, spec, spec_bytes) &
                bind(c, name='califor_ConfigManager_add_option_spec')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: spec(*)
            integer(C_SIZE_T), value :: spec_bytes
        end subroutine
        subroutine c_ConfigManager_add(obj, config, config_bytes) &
                bind(c, name='califor_ConfigManager_add')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: config(*)
            integer(C_SIZE_T), value :: config_bytes
        end subroutine
        real(c_double) function c_BufferedRegionProfile_region_time(obj, region, &
            region_bytes) &
                bind(c, name='califor_BufferedRegionProfile_region_time')
            import
            type(cali_SHROUD_capsule_data), intent(inout) :: obj
            character(kind=c_char), intent(in) :: region(*)
            integer(C_SIZE_T), value :: region_bytes
        end function
        subroutine c_config_preset(key, key_bytes, value, value_bytes) &
                bind(c, name='califor_config_preset')
            import
            character(kind=c_char), intent(in) :: key(*)
            integer(C_SIZE_T), value :: key_bytes
            character(kind=c_char), intent(in) :: value(*)
            integer(C_SIZE_T), value :: value_bytes
        end subroutine
        subroutine c_config_set(key, key_bytes, value, value_bytes) &
                bind(c, name='califor_config_set')
            import
            character(kind=c_char), intent(in) :: key(*)
            integer(C_SIZE_T), value :: key_bytes
            character(kind=c_char), intent(in) :: value(*)
            integer(C_SIZE_T), value :: value_bytes
        end subroutine
        integer(cali_id_t) function c_create_attribute(name, name_bytes, type, prop) &
                bind(c, name='califor_create_attribute')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
            integer(C_INT), value :: type
            integer(C_INT), value :: prop
        end function
        integer(cali_id_t) function c_find_attribute(name, name_bytes) &
                bind(c, name='califor_find_attribute')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
        end function
        subroutine c_begin_string(attr_id, val, val_bytes) &
                bind(c, name='califor_begin_string')
            import
            integer(cali_id_t), value :: attr_id
            character(kind=c_char), intent(in) :: val(*)
            integer(C_SIZE_T), value :: val_bytes
        end subroutine
        subroutine c_begin_int_byname(attr_name, attr_name_bytes, val) &
                bind(c, name='califor_begin_int_byname')
            import
            character(kind=c_char), intent(in) :: attr_name(*)
            integer(C_SIZE_T), value :: attr_name_bytes
            integer(C_INT), value :: val
        end subroutine
        subroutine c_begin_string_byname(attr_name, attr_name_bytes, val, val_bytes) &
                bind(c, name='califor_begin_string_byname')
            import
            character(kind=c_char), intent(in) :: attr_name(*)
            integer(C_SIZE_T), value :: attr_name_bytes
            character(kind=c_char), intent(in) :: val(*)
            integer(C_SIZE_T), value :: val_bytes
        end subroutine
        subroutine c_end_byname(attr_name, attr_name_bytes) &
                bind(c, name='califor_end_byname')
            import
            character(kind=c_char), intent(in) :: attr_name(*)
            integer(C_SIZE_T), value :: attr_name_bytes
        end subroutine
        subroutine c_begin_region(name, name_bytes) &
                bind(c, name='califor_begin_region')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
        end subroutine
        subroutine c_end_region(name, name_bytes) &
                bind(c, name='califor_end_region')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
        end subroutine
        subroutine c_begin_phase(name, name_bytes) &
                bind(c, name='califor_begin_phase')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
        end subroutine
        subroutine c_end_phase(name, name_bytes) &
                bind(c, name='califor_end_phase')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
        end subroutine
        integer(cali_id_t) function c_make_loop_iteration_attribute(name, name_bytes) &
                bind(c, name='califor_make_loop_iteration_attribute')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
        end function
        subroutine c_set_global_int_byname(name, name_bytes, val) &
                bind(c, name='califor_set_global_int_byname')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
            integer(C_INT), value :: val
        end subroutine
        subroutine c_set_global_string_byname(name, name_bytes, val, val_bytes) &
                bind(c, name='califor_set_global_string_byname')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
            character(kind=c_char), intent(in) :: val(*)
            integer(C_SIZE_T), value :: val_bytes
        end subroutine
        subroutine c_set_global_double_byname(name, name_bytes, val) &
                bind(c, name='califor_set_global_double_byname')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(C_SIZE_T), value :: name_bytes
            real(c_double), value :: val
        end subroutine
        type(C_PTR) function c_message(manager, length) bind(c, name='califor_message')
            import
            type(cali_SHROUD_capsule_data), intent(in) :: manager
            integer(C_SIZE_T), intent(out) :: length
        end function
    end interface
end module
