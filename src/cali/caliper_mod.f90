! The interface of LLNL's Caliper for Fortran programs: what was written for its module
! `caliper_mod` builds and runs unchanged.
!
!     use caliper_mod
!     type(ConfigManager) :: manager
!
!     manager = ConfigManager_new()
!     call manager%add('runtime-report')
!     if (manager%error()) print *, manager%error_msg()
!     call manager%start
!     call cali_begin_region('solve')
!     ...
!     call cali_end_region('solve')
!     call manager%flush
!     call ConfigManager_delete(manager)
!
! gfortran -I INCLUDE/caliper/fortran app.f90 -ltrammel-cali; other compilers read the two
! files from there.
! caliper/cali.h, cali-manager.h, cali-profile.h and wrapAnnotation.h say what each does.
! Blanks at the end of texts do not count.
module caliper_mod
    use, intrinsic :: iso_c_binding, only: &
        C_INT, C_INT64_T, C_LONG, C_NULL_PTR, C_PTR, C_SIZE_T, &
        c_bool, c_char, c_double, c_associated, c_f_pointer
    use caliper_c
    implicit none
    private :: c_bool, c_char, c_double, c_associated, c_f_pointer

    ! Properties of attributes, which add up
    integer(C_INT), parameter :: &
        CALI_ATTR_DEFAULT = 0, CALI_ATTR_ASVALUE = 1, CALI_ATTR_NOMERGE = 2, &
        CALI_ATTR_SCOPE_PROCESS = 12, CALI_ATTR_SCOPE_THREAD = 20, &
        CALI_ATTR_SCOPE_TASK = 24, CALI_ATTR_SKIP_EVENTS = 64, CALI_ATTR_HIDDEN = 128, &
        CALI_ATTR_NESTED = 256, CALI_ATTR_GLOBAL = 512, CALI_ATTR_UNALIGNED = 1024, &
        CALI_ATTR_AGGREGATABLE = 2048
    ! Their types
    integer(C_INT), parameter :: &
        CALI_TYPE_INV = 0, CALI_TYPE_USR = 1, CALI_TYPE_INT = 2, CALI_TYPE_UINT = 3, &
        CALI_TYPE_STRING = 4, CALI_TYPE_ADDR = 5, CALI_TYPE_DOUBLE = 6, &
        CALI_TYPE_BOOL = 7, CALI_TYPE_TYPE = 8, CALI_TYPE_PTR = 9
    ! Of cali_flush
    integer(C_INT), parameter :: CALI_FLUSH_CLEAR_BUFFERS = 1

    ! What all kinds of handles can do
    type :: cali_handle
        type(cali_SHROUD_capsule_data) :: cxxmem
    contains
        procedure :: get_instance => handle_get_instance
        procedure :: set_instance => handle_set_instance
        procedure :: associated => handle_associated
    end type

    type, extends(cali_handle) :: ScopeAnnotation
    contains
        procedure :: end => ScopeAnnotation_end
    end type

    type, extends(cali_handle) :: Annotation
    contains
        procedure :: delete => Annotation_delete
        procedure :: begin_int => Annotation_begin_int
        procedure :: begin_string => Annotation_begin_string
        procedure :: set_int => Annotation_set_int
        procedure :: set_string => Annotation_set_string
        procedure :: end => Annotation_end
        generic :: begin => begin_int, begin_string
        generic :: set => set_int, set_string
    end type

    type, extends(cali_handle) :: ConfigManager
    contains
        procedure :: delete => ConfigManager_delete
        procedure :: set_default_parameter => ConfigManager_set_default_parameter
        procedure :: set_default_parameter_for_config => &
            ConfigManager_set_default_parameter_for_config
        procedure :: add_config_spec => ConfigManager_add_config_spec
        procedure :: add_option_spec => ConfigManager_add_option_spec
        procedure :: add => ConfigManager_add
        procedure :: error => ConfigManager_error
        procedure :: error_msg => ConfigManager_error_msg
        procedure :: start => ConfigManager_start
        procedure :: stop => ConfigManager_stop
        procedure :: flush => ConfigManager_flush
    end type

    type, extends(cali_handle) :: BufferedRegionProfile
    contains
        procedure :: delete => BufferedRegionProfile_delete
        procedure :: start => BufferedRegionProfile_start
        procedure :: stop => BufferedRegionProfile_stop
        procedure :: clear => BufferedRegionProfile_clear
        procedure :: fetch_exclusive_region_times => &
            BufferedRegionProfile_fetch_exclusive_region_times
        procedure :: fetch_inclusive_region_times => &
            BufferedRegionProfile_fetch_inclusive_region_times
        procedure :: total_profiling_time => BufferedRegionProfile_total_profiling_time
        procedure :: total_region_time => BufferedRegionProfile_total_region_time
        procedure :: region_time => BufferedRegionProfile_region_time
    end type

    ! Whether two are the same
    interface operator(==)
        module procedure handle_eq
    end interface
    interface operator(/=)
        module procedure handle_ne
    end interface

    interface ScopeAnnotation
        module procedure ScopeAnnotation_begin
    end interface
    interface Annotation
        module procedure Annotation_new, Annotation_new_with_properties
    end interface
    interface ConfigManager
        module procedure ConfigManager_new
    end interface
    interface BufferedRegionProfile
        module procedure BufferedRegionProfile_new
    end interface
    interface Annotation_begin
        module procedure Annotation_begin_int, Annotation_begin_string
    end interface
    interface Annotation_set
        module procedure Annotation_set_int, Annotation_set_string
    end interface

    private :: handle_get_instance, handle_set_instance, handle_associated, handle_eq
    private :: handle_ne, c_ScopeAnnotation_begin, c_ScopeAnnotation_end
    private :: c_Annotation_new, c_Annotation_new_with_properties, c_Annotation_delete
    private :: c_Annotation_begin_int, c_Annotation_begin_string, c_Annotation_set_int
    private :: c_Annotation_set_string, c_Annotation_end, c_ConfigManager_new
    private :: c_ConfigManager_delete, c_ConfigManager_set_default_parameter
    private :: c_ConfigManager_set_default_parameter_for_config
    private :: c_ConfigManager_add_config_spec, c_ConfigManager_add_option_spec
    private :: c_ConfigManager_add, c_ConfigManager_error, c_ConfigManager_start
    private :: c_ConfigManager_stop, c_ConfigManager_flush
    private :: c_BufferedRegionProfile_new, c_BufferedRegionProfile_delete
    private :: c_BufferedRegionProfile_start, c_BufferedRegionProfile_stop
    private :: c_BufferedRegionProfile_clear
    private :: c_BufferedRegionProfile_fetch_exclusive_region_times
    private :: c_BufferedRegionProfile_fetch_inclusive_region_times
    private :: c_BufferedRegionProfile_total_profiling_time
    private :: c_BufferedRegionProfile_total_region_time
    private :: c_BufferedRegionProfile_region_time, c_config_preset, c_config_set
    private :: c_create_attribute, c_find_attribute, c_begin_string
    private :: c_begin_int_byname, c_begin_string_byname, c_end_byname, c_begin_region
    private :: c_end_region, c_begin_phase, c_end_phase
    private :: c_make_loop_iteration_attribute, c_set_global_int_byname
    private :: c_set_global_string_byname, c_set_global_double_byname, c_message

contains

    ! The address that the handle has
    function handle_get_instance(obj) result(found)
        class(cali_handle), intent(in) :: obj
        type(C_PTR) :: found

        found = obj%cxxmem%addr
    end function

    subroutine handle_set_instance(obj, cxxmem)
        class(cali_handle), intent(inout) :: obj
        type(C_PTR), intent(in) :: cxxmem

        obj%cxxmem = cali_SHROUD_capsule_data(cxxmem, 0)
    end subroutine

    function handle_associated(obj) result(found)
        class(cali_handle), intent(in) :: obj
        logical :: found

        found = c_associated(obj%cxxmem%addr)
    end function

    function handle_eq(a, b) result(found)
        class(cali_handle), intent(in) :: a, b
        logical :: found

        found = c_associated(a%cxxmem%addr, b%cxxmem%addr)
    end function

    function handle_ne(a, b) result(found)
        class(cali_handle), intent(in) :: a, b
        logical :: found

        found = .not. handle_eq(a, b)
    end function

    function ConfigManager_error_msg(obj) result(found)
        class(ConfigManager) :: obj
        character(:), allocatable :: found
        character(kind=c_char), pointer :: bytes(:)
        type(C_PTR) :: at
        integer(C_SIZE_T) :: length, i
        integer :: failed

        at = c_message(obj%cxxmem, length)
        call c_f_pointer(at, bytes, [length])
        ! Whatever needs libgfortran would make all programs need it.
        allocate (character(length) :: found, stat=failed)
        do i = 1, merge(length, 0_C_SIZE_T, failed == 0)
            found(i:i) = bytes(i)
        end do
    end function

    function ScopeAnnotation_begin(name) result(made)
        character(*), intent(in) :: name
        type(ScopeAnnotation) :: made

        call c_ScopeAnnotation_begin(name, len(name, C_SIZE_T), made%cxxmem)
    end function

    subroutine ScopeAnnotation_end(obj)
        class(ScopeAnnotation) :: obj

        call c_ScopeAnnotation_end(obj%cxxmem)
    end subroutine

    function Annotation_new(key) result(made)
        character(*), intent(in) :: key
        type(Annotation) :: made

        call c_Annotation_new(key, len(key, C_SIZE_T), made%cxxmem)
    end function

    function Annotation_new_with_properties(key, properties) result(made)
        character(*), intent(in) :: key
        integer(C_INT), value :: properties
        type(Annotation) :: made

        call c_Annotation_new_with_properties(key, len(key, C_SIZE_T), properties, &
            made%cxxmem)
    end function

    subroutine Annotation_delete(obj)
        class(Annotation) :: obj

        call c_Annotation_delete(obj%cxxmem)
    end subroutine

    subroutine Annotation_begin_int(obj, val)
        class(Annotation) :: obj
        integer(C_INT), value :: val

        call c_Annotation_begin_int(obj%cxxmem, val)
    end subroutine

    subroutine Annotation_begin_string(obj, val)
        class(Annotation) :: obj
        character(*), intent(in) :: val

        call c_Annotation_begin_string(obj%cxxmem, val, len(val, C_SIZE_T))
    end subroutine

    subroutine Annotation_set_int(obj, val)
        class(Annotation) :: obj
        integer(C_INT), value :: val

        call c_Annotation_set_int(obj%cxxmem, val)
    end subroutine

    subroutine Annotation_set_string(obj, val)
        class(Annotation) :: obj
        character(*), intent(in) :: val

        call c_Annotation_set_string(obj%cxxmem, val, len(val, C_SIZE_T))
    end subroutine

    subroutine Annotation_end(obj)
        class(Annotation) :: obj

        call c_Annotation_end(obj%cxxmem)
    end subroutine

    function ConfigManager_new() result(made)
        type(ConfigManager) :: made
        type(C_PTR) :: same

        same = c_ConfigManager_new(made%cxxmem)
    end function

    subroutine ConfigManager_delete(obj)
        class(ConfigManager) :: obj

        call c_ConfigManager_delete(obj%cxxmem)
    end subroutine

    subroutine ConfigManager_set_default_parameter(obj, option, val)
        class(ConfigManager) :: obj
        character(*), intent(in) :: option, val

        call c_ConfigManager_set_default_parameter(obj%cxxmem, option, len(option, &
            C_SIZE_T), val, len(val, C_SIZE_T))
    end subroutine

    subroutine ConfigManager_set_default_parameter_for_config(obj, config, option, val)
        class(ConfigManager) :: obj
        character(*), intent(in) :: config, option, val

        call c_ConfigManager_set_default_parameter_for_config(obj%cxxmem, config, &
            len(config, C_SIZE_T), option, len(option, C_SIZE_T), val, len(val, C_SIZE_T))
    end subroutine

    subroutine ConfigManager_add_config_spec(obj, spec)
        class(ConfigManager) :: obj
        character(*), intent(in) :: spec

        call c_ConfigManager_add_config_spec(obj%cxxmem, spec, len(spec, C_SIZE_T))
    end subroutine

    subroutine ConfigManager_add_option_spec(obj, spec)
        class(ConfigManager) :: obj
        character(*), intent(in) :: spec

        call c_ConfigManager_add_option_spec(obj%cxxmem, spec, len(spec, C_SIZE_T))
    end subroutine

    subroutine ConfigManager_add(obj, config)
        class(ConfigManager) :: obj
        character(*), intent(in) :: config

        call c_ConfigManager_add(obj%cxxmem, config, len(config, C_SIZE_T))
    end subroutine

    function ConfigManager_error(obj) result(found)
        class(ConfigManager) :: obj
        logical :: found

        found = c_ConfigManager_error(obj%cxxmem)
    end function

    subroutine ConfigManager_start(obj)
        class(ConfigManager) :: obj

        call c_ConfigManager_start(obj%cxxmem)
    end subroutine

    subroutine ConfigManager_stop(obj)
        class(ConfigManager) :: obj

        call c_ConfigManager_stop(obj%cxxmem)
    end subroutine

    subroutine ConfigManager_flush(obj)
        class(ConfigManager) :: obj

        call c_ConfigManager_flush(obj%cxxmem)
    end subroutine

    function BufferedRegionProfile_new() result(made)
        type(BufferedRegionProfile) :: made
        type(C_PTR) :: same

        same = c_BufferedRegionProfile_new(made%cxxmem)
    end function

    subroutine BufferedRegionProfile_delete(obj)
        class(BufferedRegionProfile) :: obj

        call c_BufferedRegionProfile_delete(obj%cxxmem)
    end subroutine

    subroutine BufferedRegionProfile_start(obj)
        class(BufferedRegionProfile) :: obj

        call c_BufferedRegionProfile_start(obj%cxxmem)
    end subroutine

    subroutine BufferedRegionProfile_stop(obj)
        class(BufferedRegionProfile) :: obj

        call c_BufferedRegionProfile_stop(obj%cxxmem)
    end subroutine

    subroutine BufferedRegionProfile_clear(obj)
        class(BufferedRegionProfile) :: obj

        call c_BufferedRegionProfile_clear(obj%cxxmem)
    end subroutine

    subroutine BufferedRegionProfile_fetch_exclusive_region_times(obj)
        class(BufferedRegionProfile) :: obj

        call c_BufferedRegionProfile_fetch_exclusive_region_times(obj%cxxmem)
    end subroutine

    subroutine BufferedRegionProfile_fetch_inclusive_region_times(obj)
        class(BufferedRegionProfile) :: obj

        call c_BufferedRegionProfile_fetch_inclusive_region_times(obj%cxxmem)
    end subroutine

    function BufferedRegionProfile_total_profiling_time(obj) result(found)
        class(BufferedRegionProfile) :: obj
        real(c_double) :: found

        found = c_BufferedRegionProfile_total_profiling_time(obj%cxxmem)
    end function

    function BufferedRegionProfile_total_region_time(obj) result(found)
        class(BufferedRegionProfile) :: obj
        real(c_double) :: found

        found = c_BufferedRegionProfile_total_region_time(obj%cxxmem)
    end function

    function BufferedRegionProfile_region_time(obj, region) result(found)
        class(BufferedRegionProfile) :: obj
        character(*), intent(in) :: region
        real(c_double) :: found

        found = c_BufferedRegionProfile_region_time(obj%cxxmem, region, len(region, &
            C_SIZE_T))
    end function

    subroutine cali_config_preset(key, value)
        character(*), intent(in) :: key, value

        call c_config_preset(key, len(key, C_SIZE_T), value, len(value, C_SIZE_T))
    end subroutine

    subroutine cali_config_set(key, value)
        character(*), intent(in) :: key, value

        call c_config_set(key, len(key, C_SIZE_T), value, len(value, C_SIZE_T))
    end subroutine

    function cali_create_attribute(name, type, prop) result(found)
        character(*), intent(in) :: name
        integer(C_INT), value :: type, prop
        integer(cali_id_t) :: found

        found = c_create_attribute(name, len(name, C_SIZE_T), type, prop)
    end function

    function cali_find_attribute(name) result(found)
        character(*), intent(in) :: name
        integer(cali_id_t) :: found

        found = c_find_attribute(name, len(name, C_SIZE_T))
    end function

    subroutine cali_begin_string(attr_id, val)
        integer(cali_id_t), value :: attr_id
        character(*), intent(in) :: val

        call c_begin_string(attr_id, val, len(val, C_SIZE_T))
    end subroutine

    subroutine cali_begin_int_byname(attr_name, val)
        character(*), intent(in) :: attr_name
        integer(C_INT), value :: val

        call c_begin_int_byname(attr_name, len(attr_name, C_SIZE_T), val)
    end subroutine

    subroutine cali_begin_string_byname(attr_name, val)
        character(*), intent(in) :: attr_name, val

        call c_begin_string_byname(attr_name, len(attr_name, C_SIZE_T), val, len(val, &
            C_SIZE_T))
    end subroutine

    subroutine cali_end_byname(attr_name)
        character(*), intent(in) :: attr_name

        call c_end_byname(attr_name, len(attr_name, C_SIZE_T))
    end subroutine

    subroutine cali_begin_region(name)
        character(*), intent(in) :: name

        call c_begin_region(name, len(name, C_SIZE_T))
    end subroutine

    subroutine cali_end_region(name)
        character(*), intent(in) :: name

        call c_end_region(name, len(name, C_SIZE_T))
    end subroutine

    subroutine cali_begin_phase(name)
        character(*), intent(in) :: name

        call c_begin_phase(name, len(name, C_SIZE_T))
    end subroutine

    subroutine cali_end_phase(name)
        character(*), intent(in) :: name

        call c_end_phase(name, len(name, C_SIZE_T))
    end subroutine

    function cali_make_loop_iteration_attribute(name) result(found)
        character(*), intent(in) :: name
        integer(cali_id_t) :: found

        found = c_make_loop_iteration_attribute(name, len(name, C_SIZE_T))
    end function

    subroutine cali_set_global_int_byname(name, val)
        character(*), intent(in) :: name
        integer(C_INT), value :: val

        call c_set_global_int_byname(name, len(name, C_SIZE_T), val)
    end subroutine

    subroutine cali_set_global_string_byname(name, val)
        character(*), intent(in) :: name, val

        call c_set_global_string_byname(name, len(name, C_SIZE_T), val, len(val, C_SIZE_T))
    end subroutine

    subroutine cali_set_global_double_byname(name, val)
        character(*), intent(in) :: name
        real(c_double), value :: val

        call c_set_global_double_byname(name, len(name, C_SIZE_T), val)
    end subroutine
end module
