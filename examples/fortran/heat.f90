! Heat in a rod, with a context: regions, a loop, an attribute and a metric.
!
!     gfortran -O2 $(pkg-config --cflags trammel-fortran) heat.f90 \
!             $(pkg-config --libs trammel-fortran) -o heat
!     trammel run -m regions -- ./heat
program heat
    use trammel
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: cells = 10000, steps = 30
    real(real64) :: rod(cells) = 0
    type(trm_attribute) :: residual
    integer :: it

    residual = trm_attribute_create('residual', TRM_TYPE_DOUBLE, &
        TRM_AS_VALUE + TRM_AGGREGATABLE)
    call trm_region_begin('heat')
    call trm_begin('method', 'Jacobi')
    rod(1) = 1000
    do it = 1, steps
        call trm_loop_begin('timestep', it)
        call trm_begin('level', mod(it, 3))
        call trm_set(residual, step(rod))
        call trm_end('level')
        if (mod(it, 10) == 0) call show(it)
        call trm_loop_end('timestep')
    end do
    call trm_end('method')
    call trm_region_end('heat')

contains

    ! The sum of what changed.
    real(real64) function step(rod) result(change)
        real(real64), intent(inout) :: rod(:)
        real(real64) :: next
        integer :: i

        call trm_region_begin('solve')
        change = 0
        do i = 2, size(rod) - 1
            next = (rod(i - 1) + rod(i + 1)) / 2
            change = change + abs(next - rod(i))
            rod(i) = next
        end do
        call trm_region_end('solve')
    end function

    subroutine show(it)
        integer, intent(in) :: it

        call trm_region_begin('output')
        call trm_begin('last', it == steps)
        print '(a, i0, a, f0.3)', 'step ', it, ': ', sum(rod)
        call trm_end('last')
        call trm_region_end('output')
    end subroutine
end program
