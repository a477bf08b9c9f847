! The same calls by either of Fortran's modules: see mpi.py.
program ring
#ifdef F08
    use mpi_f08
#else
    use mpi
#endif
    use trammel
    implicit none
    integer :: rank, ranks, next, before, step, token, got, total, error
    integer :: everything(64)
#ifdef F08
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    type(MPI_Comm) :: half
#else
    integer :: status(MPI_STATUS_SIZE), request, half
#endif

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    next = mod(rank + 1, ranks)
    before = mod(rank + ranks - 1, ranks)
    token = rank
    call trm_region_begin('ring')
    do step = 1, 3
        call MPI_Sendrecv(token, 1, MPI_INTEGER, next, 1, got, 1, MPI_INTEGER, before, 1, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        token = got
    end do
    if (mod(rank, 2) == 0) then
        call MPI_Send(token, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, error)
    else
        call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, status, error)
    end if
    call MPI_Irecv(got, 1, MPI_INTEGER, before, 3, MPI_COMM_WORLD, request, error)
    call MPI_Send(token, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, error)
    call MPI_Wait(request, status, error)
    call trm_region_end('ring')
    total = token
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    everything = token
    if (rank == 0) then
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, everything, 1, MPI_INTEGER, 0, &
            MPI_COMM_WORLD, error)
    else
        call MPI_Gather(token, 1, MPI_INTEGER, everything, 0, MPI_DATATYPE_NULL, 0, &
            MPI_COMM_WORLD, error)
    end if
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
    call MPI_Comm_set_name(half, 'half', error)
    call MPI_Barrier(half, error)
    call MPI_Comm_free(half, error)
    if (rank == 0) print '(3(i0, 1x))', ranks, total, sum(everything(1:ranks))
    call MPI_Finalize(error)
end program
