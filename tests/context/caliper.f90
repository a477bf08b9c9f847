! What a program written for Caliper's module says, and what it gets to know: lines for
! languages.py.
program caliper
    use caliper_mod
    use iso_c_binding, only: C_INT64_T
    implicit none

    type(ConfigManager) :: manager, other
    type(BufferedRegionProfile) :: profile
    type(ScopeAnnotation) :: scope
    type(Annotation) :: step
    integer(C_INT64_T) :: loop, iteration
    character(64) :: word
    integer :: i

    call cali_config_preset('CALI_CALIPER_ATTRIBUTE_PROPERTIES', 'kept=asvalue')
    call cali_init()
    manager = ConfigManager_new()
    other = ConfigManager()
    print '(4l2)', manager%associated(), manager == other, manager /= other, other%error()
    call other%add('runtime-reprot')
    print '(l2,1x,a)', other%error(), other%error_msg()
    print '(a)', '"' // manager%error_msg() // '"'
    call other%delete
    print '(l2)', other%associated()

    call manager%set_default_parameter('output', 'stderr')
    call manager%set_default_parameter_for_config('traced', 'output', 'fortran.cali')
    call manager%add_config_spec('{"name": "traced", "categories": ["output"], ' // &
        '"services": ["event", "trace", "recorder"]}')
    word = 'traced'
    call manager%add(word)
    if (manager%error()) print *, manager%error_msg()
    call manager%start
    profile = BufferedRegionProfile_new()
    call profile%start()

    scope = ScopeAnnotation_begin('work  ')
    call cali_begin_phase('first')
    call cali_end_phase('first')
    loop = cali_find_attribute('loop')
    iteration = cali_make_loop_iteration_attribute('steps')
    call cali_begin_string(loop, 'steps')
    do i = 1, 3
        call cali_begin_int(iteration, i)
        call cali_begin_region(repeat('n', 300))
        call cali_end_region(repeat('n', 300))
        call cali_end(iteration)
    end do
    call cali_end(loop)
    step = Annotation_new_with_properties('step', IOR(CALI_ATTR_ASVALUE, CALI_ATTR_SKIP_EVENTS))
    call step%set(5)
    call cali_begin_int_byname('level', 7)
    call cali_begin_string_byname('kind', 'full')
    call cali_end_byname('kind')
    call cali_end_byname('level')
    call Annotation_end(step)
    call Annotation_delete(step)
    step = Annotation('mode')
    call step%begin('fast')
    call step%end
    call scope%end
    print '(l2)', scope%associated()
    call cali_set_global_int_byname('mesh', 42)
    call cali_set_global_double_byname('size', 0.5d0)
    call cali_set_global_string_byname('experiment', 'cold ')
    print '(i0)', cali_find_attribute('nowhere'), cali_create_attribute('mesh', CALI_TYPE_INT, 0) - &
        cali_find_attribute('mesh')

    call profile%stop
    call profile%fetch_inclusive_region_times
    print '(4l2)', profile%region_time('work') > profile%region_time('steps'), &
        profile%region_time('steps') > 0, profile%region_time('nowhere') > 0, &
        profile%total_profiling_time() >= profile%total_region_time()
    call profile%clear
    print '(l2)', profile%total_region_time() > 0
    call BufferedRegionProfile_delete(profile)
    call manager%flush
    call ConfigManager_delete(manager)
end program
