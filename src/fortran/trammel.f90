! The program's own context, said in Fortran: regions, loops, and attribute:value pairs.
!
!     use trammel
!     type(trm_attribute) :: residual
!
!     residual = trm_attribute_create('residual', TRM_TYPE_DOUBLE, TRM_AS_VALUE + TRM_AGGREGATABLE)
!     call trm_region_begin('solve')
!     do it = 1, steps
!             call trm_loop_begin('timestep', it)
!             call trm_begin('level', 3)
!             call trm_set(residual, change)
!             call trm_end('level')
!             call trm_loop_end('timestep')
!     end do
!     call trm_region_end('solve')
!
! Programs are linked with -ltrammel-fortran, an archive, and need no library to run. While
! nothing measures, a call costs some nanoseconds and does nothing; `trammel run -m regions
! PROGRAM` measures. All may be called from any thread at any time.
!
! The first argument of trm_begin, trm_set and trm_end is an attribute or its name; the value
! is an integer, a real or a logical of any usual kind, or a character; others say nothing.
! Blanks at the end of names and texts do not count. Names are of at most 255 bytes.
! An attribute that is new is a nested one (part of the path) for trm_begin, a value of the
! moment for trm_set.
module trammel
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
    implicit none
    private

    ! Of a process; 0 is none, and says nothing.
    type, bind(c), public :: trm_attribute
        integer(c_int32_t) :: number = 0
    end type

    ! Types of attributes
    integer(c_int32_t), parameter, public :: &
        TRM_TYPE_INT = 0, TRM_TYPE_UINT = 1, TRM_TYPE_DOUBLE = 2, &
        TRM_TYPE_STRING = 3, TRM_TYPE_BOOL = 4, TRM_TYPE_ADDRESS = 5
    ! Their properties, which add up: see trammel/annotate.h
    integer(c_int32_t), parameter, public :: &
        TRM_NESTED = 1, TRM_AS_VALUE = 2, TRM_SCOPE_PROCESS = 4, &
        TRM_SCOPE_THREAD = 8, TRM_AGGREGATABLE = 32, TRM_HIDDEN = 64, &
        TRM_GLOBAL = 128

    public :: trm_attribute_create, trm_active
    public :: trm_region_begin, trm_region_end, trm_loop_begin, trm_loop_end
    public :: trm_begin, trm_set, trm_end

    interface trm_begin
        module procedure begin_attribute, begin_named
    end interface
    interface trm_set
        module procedure set_attribute, set_named
    end interface
    interface trm_end
        module procedure end_attribute, end_named
    end interface
    interface trm_loop_begin
        module procedure loop_begin_int32, loop_begin_int64
    end interface

    ! struct trm_value; `bits` are the number's, or the address of the bytes
    type, bind(c) :: packed
        integer(c_int32_t) :: of_type
        integer(c_int32_t) :: bytes
        integer(c_int64_t) :: bits
    end type

    ! glue.h
    interface
        integer(c_int32_t) function c_active() bind(c, name='trmf_active')
            import
        end function
        integer(c_int32_t) function c_attribute(name, length, of_type, properties) &
                bind(c, name='trmf_attribute')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length
            integer(c_int32_t), value :: of_type, properties
        end function
        subroutine c_begin(attribute, given) bind(c, name='trmf_begin')
            import
            integer(c_int32_t), value :: attribute
            type(packed), intent(in) :: given
        end subroutine
        subroutine c_set(attribute, given) bind(c, name='trmf_set')
            import
            integer(c_int32_t), value :: attribute
            type(packed), intent(in) :: given
        end subroutine
        subroutine c_end(attribute) bind(c, name='trmf_end')
            import
            integer(c_int32_t), value :: attribute
        end subroutine
        subroutine c_begin_named(name, length, given) bind(c, name='trmf_begin_named')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length
            type(packed), intent(in) :: given
        end subroutine
        subroutine c_set_named(name, length, given) bind(c, name='trmf_set_named')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length
            type(packed), intent(in) :: given
        end subroutine
        subroutine c_end_named(name, length) bind(c, name='trmf_end_named')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length
        end subroutine
        subroutine c_region_begin(name, length) bind(c, name='trmf_region_begin')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length
        end subroutine
        subroutine c_region_end(name, length) bind(c, name='trmf_region_end')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length
        end subroutine
        subroutine c_loop_begin(name, length, iteration) bind(c, name='trmf_loop_begin')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length, iteration
        end subroutine
        subroutine c_loop_end(name, length) bind(c, name='trmf_loop_end')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: length
        end subroutine
    end interface

contains

    ! Whether something measures: worth asking before a value is computed only to be set.
    logical function trm_active()
        trm_active = c_active() /= 0
    end function

    ! The attribute of this name, made if it is new: same name, same attribute. 0 while no
    ! library is there. `properties`: a sum of those above; nested if left out.
    type(trm_attribute) function trm_attribute_create(name, of_type, properties) result(made)
        character(*), intent(in) :: name
        integer(c_int32_t), intent(in) :: of_type
        integer(c_int32_t), intent(in), optional :: properties
        integer(c_int32_t) :: wanted

        wanted = TRM_NESTED
        if (present(properties)) wanted = properties
        made%number = c_attribute(name, len(name, int64), of_type, wanted)
    end function

    subroutine trm_region_begin(name)
        character(*), intent(in) :: name

        call c_region_begin(name, len(name, int64))
    end subroutine

    subroutine trm_region_end(name)
        character(*), intent(in) :: name

        call c_region_end(name, len(name, int64))
    end subroutine

    ! An iteration of a loop.
    subroutine loop_begin_int32(name, iteration)
        character(*), intent(in) :: name
        integer(int32), intent(in) :: iteration

        call c_loop_begin(name, len(name, int64), int(iteration, int64))
    end subroutine

    subroutine loop_begin_int64(name, iteration)
        character(*), intent(in) :: name
        integer(int64), intent(in) :: iteration

        call c_loop_begin(name, len(name, int64), iteration)
    end subroutine

    subroutine trm_loop_end(name)
        character(*), intent(in) :: name

        call c_loop_end(name, len(name, int64))
    end subroutine

    subroutine begin_attribute(what, given)
        type(trm_attribute), intent(in) :: what
        class(*), intent(in), target :: given
        type(packed) :: value

        if (c_active() == 0) return
        if (pack_value(given, value)) call c_begin(what%number, value)
    end subroutine

    subroutine begin_named(what, given)
        character(*), intent(in) :: what
        class(*), intent(in), target :: given
        type(packed) :: value

        if (c_active() == 0) return
        if (pack_value(given, value)) call c_begin_named(what, len(what, int64), value)
    end subroutine

    subroutine set_attribute(what, given)
        type(trm_attribute), intent(in) :: what
        class(*), intent(in), target :: given
        type(packed) :: value

        if (c_active() == 0) return
        if (pack_value(given, value)) call c_set(what%number, value)
    end subroutine

    subroutine set_named(what, given)
        character(*), intent(in) :: what
        class(*), intent(in), target :: given
        type(packed) :: value

        if (c_active() == 0) return
        if (pack_value(given, value)) call c_set_named(what, len(what, int64), value)
    end subroutine

    subroutine end_attribute(what)
        type(trm_attribute), intent(in) :: what

        call c_end(what%number)
    end subroutine

    subroutine end_named(what)
        character(*), intent(in) :: what

        call c_end_named(what, len(what, int64))
    end subroutine

    ! Whether the value is of a type that there is; it then is in `value`, where texts are
    ! referred to.
    logical function pack_value(given, value) result(known)
        class(*), intent(in), target :: given
        type(packed), intent(out) :: value

        known = .true.
        select type (given)
        type is (integer(int8))
            value = packed(TRM_TYPE_INT, 0, int(given, int64))
        type is (integer(int16))
            value = packed(TRM_TYPE_INT, 0, int(given, int64))
        type is (integer(int32))
            value = packed(TRM_TYPE_INT, 0, int(given, int64))
        type is (integer(int64))
            value = packed(TRM_TYPE_INT, 0, given)
        type is (real(real32))
            value = packed(TRM_TYPE_DOUBLE, 0, transfer(real(given, real64), 0_int64))
        type is (real(real64))
            value = packed(TRM_TYPE_DOUBLE, 0, transfer(given, 0_int64))
        type is (logical)
            value = packed(TRM_TYPE_BOOL, 0, merge(1_int64, 0_int64, given))
        type is (logical(c_bool))
            value = packed(TRM_TYPE_BOOL, 0, merge(1_int64, 0_int64, logical(given)))
        type is (character(*))
            value = packed(TRM_TYPE_STRING, len_trim(given), &
                transfer(c_loc(given), 0_int64))
        class default
            known = .false.
        end select
    end function
end module
