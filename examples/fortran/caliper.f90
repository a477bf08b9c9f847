! A program that was written for LLNL's Caliper, in Fortran: built with
!
!     gfortran -I/usr/local/include/caliper/fortran caliper.f90 -ltrammel-cali -o caliper
!     ./caliper runtime-report
!
! or, without a configuration of its own, CALI_CONFIG=runtime-report ./caliper
program caliper
    use caliper_mod
    implicit none

    type(ConfigManager) :: manager
    character(256) :: configuration
    integer :: step
    integer(8) :: iteration
    real :: sum = 0

    manager = ConfigManager_new()
    if (command_argument_count() > 0) then
        call get_command_argument(1, configuration)
        call manager%add(configuration)
        if (manager%error()) print '(a)', manager%error_msg()
    end if
    call manager%start

    call cali_begin_region('main')
    iteration = cali_make_loop_iteration_attribute('steps')
    call cali_begin_string(cali_find_attribute('loop'), 'steps')
    do step = 1, 20
        call cali_begin_int(iteration, step)
        call cali_begin_region('advance')
        sum = sum + 1.0 / step
        call cali_end_region('advance')
        call cali_end(iteration)
    end do
    call cali_end(cali_find_attribute('loop'))
    call cali_end_region('main')
    print '(f6.4)', sum

    call manager%flush
    call ConfigManager_delete(manager)
end program
