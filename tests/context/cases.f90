! Every type and hard case of the Fortran module: see languages.py.
program cases
    use trammel
    use, intrinsic :: iso_c_binding, only: c_bool
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
    implicit none
    character(300) :: long
    character(20) :: name
    integer :: round, i
    type(trm_attribute) :: metric, attribute, none

    call types()
    call trm_region_begin('trimmed   ')
    call trm_region_end('trimmed')
    call trm_region_begin('trimmed')
    call trm_region_end('trimmed ')
    long = repeat('n', 300)
    call trm_region_begin(long)
    call trm_region_begin('inner')
    call trm_region_end('inner')
    call trm_region_end(long)
    metric = trm_attribute_create('metric', TRM_TYPE_INT, TRM_AS_VALUE + TRM_AGGREGATABLE)
    call trm_set(metric, 1)
    call trm_set(metric, 2_int64)
    call trm_set(metric, 3_int8)
    attribute = trm_attribute_create('attribute', TRM_TYPE_INT)
    call trm_begin(attribute, 7)
    call trm_end(attribute)
    call trm_set(none, 7)
    call trm_begin('complex', (1.0, 2.0))
    call misfits()
    do round = 1, 2
        do i = 1, 3000
            write (name, '(a, i0)') 'name ', i
            call trm_region_begin(name)
            call trm_region_end(name)
        end do
    end do
    call threads()
    if (trm_active()) call trm_set('unused', 1)
    print '(a)', 'done'

contains

    subroutine types()
        call trm_begin('int8', -8_int8)
        call trm_end('int8')
        call trm_begin('int16', -16_int16)
        call trm_end('int16')
        call trm_begin('int32', -32)
        call trm_end('int32')
        call trm_begin('int64', -9000000000_int64)
        call trm_end('int64')
        call trm_begin('real32', 0.5_real32)
        call trm_end('real32')
        call trm_begin('real64', 0.1_real64)
        call trm_end('real64')
        call trm_begin('logical', .true.)
        call trm_end('logical')
        call trm_begin('c bool', .false._c_bool)
        call trm_end('c bool')
        call trm_begin('text', 'two words  ')
        call trm_end('text')
    end subroutine

    subroutine misfits()
        call trm_region_begin('outer')
        call trm_region_begin('open')
        call trm_region_end('outer')
        call trm_region_end('never begun')
    end subroutine

    subroutine threads()
        integer :: thread, part

        !$omp parallel do num_threads(4) private(part)
        do thread = 1, 4
            call trm_region_begin('parallel')
            do part = 1, 100
                call trm_loop_begin('part', int(part, int64))
                call trm_loop_end('part')
            end do
            call trm_region_end('parallel')
        end do
    end subroutine
end program
