! test_quire_mpi.f90 - modules quire_mpi and quire_reprosum over any number of ranks. Rank 0 prints TAP.
program test_quire_mpi
  use quire
  use quire_mpi
  use quire_reprosum
  use, intrinsic :: iso_fortran_env, only: real32, real64, int64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_value, ieee_positive_inf
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 240, fields = 6
  real(real64) :: x(n, fields), y(n, fields), sums(fields), cube(n, 2, 3), layers(3), s, right
  real(real64), allocatable :: own(:), all(:, :)
  type(quire_accumulator) :: a
  type(EFP_type) :: efp, efp_layers(3)
  real(real64), parameter :: factors(4) = [1.0_real64, 2.0_real64**(-70), 0.1_real64, -3.0_real64]
  logical :: errors(2)
  integer :: rank, ranks, code, cases = 0, from, to, i, f, status, stats(5), err

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  do f = 1, fields
    do i = 1, n
      x(i, f) = (1 - 2 * mod(i, 2)) * 10.0_real64**mod(7 * i + f, 19) / (i + f)
      y(i, f) = 1.0_real64 / (i + 3 * f)
    end do
  end do
  cube = reshape(x, [n, 2, 3])
  from = 1 + n * rank * rank / (ranks * ranks) ! parts of different sizes
  to = n * (rank + 1) * (rank + 1) / (ranks * ranks)

  call ok(same(quire_mpi_sum(x(from:to, 1), MPI_COMM_WORLD), quire_sum(x(:, 1))), 'rank 1')
  call ok(same(quire_mpi_sum(x(from:to, :), MPI_COMM_WORLD), quire_sum(x)), 'rank 2')
  call ok(same(quire_mpi_mean(cube(from:to, :, :), MPI_COMM_WORLD), quire_mean(x)), 'rank 3')
  call ok(same(quire_mpi_dot(x(from:to, :), y(from:to, :), MPI_COMM_WORLD), quire_dot(x, y)), 'dot')
  call ok(same(quire_mpi_norm2(x(from:to, 2), MPI_COMM_WORLD), quire_norm2(x(:, 2))), 'norm2')
  call ok(same(quire_mpi_variance(x(from:to, 2), sample=.true., comm=MPI_COMM_WORLD), &
               quire_variance(x(:, 2), .true.)), 'variance')
  call ok(quire_mpi_sum(real(x(from:to, 1), real32), MPI_COMM_WORLD) == quire_sum(real(x(:, 1), real32)), 'real32')
  s = quire_mpi_dot(x(1:4, 1), y(1:merge(3, 4, rank == 0), 1), MPI_COMM_WORLD, status)
  call ok(status /= 0 .and. ieee_is_nan(s), 'another shape on one rank: a status on all')

  call quire_mpi_sum_fields(x(from:to, :), sums, MPI_COMM_WORLD, status)
  call ok(status == 0 .and. alike(sums), 'fields')
  allocate (own(n), all(n, ranks))
  do i = 1, ranks
    all(:, i) = x(:, 1 + mod(i, fields)) / i
  end do
  call quire_mpi_sum_elements(all(:, rank + 1), own, MPI_COMM_WORLD, status)
  call ok(status == 0 .and. everywhere(own == quire_sum(all, dim=2)), 'elements')
  call a%add(x(from:to, 3))
  call quire_mpi_merge(a, MPI_COMM_WORLD, status)
  call ok(status == 0 .and. same(a%sum(), quire_sum(x(:, 3))), 'accumulators')

  stats = 0
  sums = 0
  call shr_reprosum_calc(x(from:to, :), sums, to - from + 1, to - from + 1, fields, commid=MPI_COMM_WORLD, &
                         repro_sum_stats=stats)
  call ok(alike(sums) .and. stats(1) == 1, 'shr_reprosum_calc')
  right = quire_sum(x)
  call ok(same(reproducing_sum(x(from:to, :)), right), 'reproducing_sum of rank 2')
  call ok(same(reproducing_sum(x, isr=from, ier=to, EFP_sum=efp, err=err), right) .and. same(efp%sum(), right) &
          .and. err == 0, 'its ranges')
  call quire_reprosum_communicator(MPI_COMM_SELF)
  call ok(same(reproducing_sum(x), right), 'another communicator')
  call quire_reprosum_communicator(MPI_COMM_WORLD)
  call ok(same(reproducing_sum(x(1:5, :), only_on_PE=.true.), quire_sum(x(1:5, :))), 'only_on_PE')
  s = reproducing_sum(cube, isr=from, ier=to, sums=layers, EFP_sum=efp, EFP_lay_sums=efp_layers)
  call ok(same(s, right) .and. same(layers(2), quire_sum(cube(:, :, 2))) .and. same(efp%sum(), right) &
          .and. same(efp_layers(3)%sum(), layers(3)), 'reproducing_sum of rank 3, its layers')
  call ok(same(reproducing_sum(cube, isr=from, ier=to), right), 'without them')

  ! unscale: the real sums stay, what an EFP_type holds is multiplied, exactly.
  do i = 1, size(factors)
    s = reproducing_sum(x, isr=from, ier=to, EFP_sum=efp, unscale=factors(i))
    call ok(same(s, right) .and. same(EFP_to_real(efp), scaled(x, factors(i))), 'unscale of rank 2')
    efp = reproducing_sum_EFP(x(from:to, :), unscale=factors(i), err=err)
    call ok(same(efp%sum(), scaled(x, factors(i))) .and. err == 0, 'reproducing_sum_EFP')
    s = reproducing_sum(cube, isr=from, ier=to, sums=layers, EFP_sum=efp, EFP_lay_sums=efp_layers, unscale=factors(i))
    call ok(same(s, right) .and. same(layers(2), quire_sum(cube(:, :, 2))) &
            .and. same(efp%sum(), scaled(x, factors(i))) &
            .and. same(efp_layers(2)%sum(), scaled(cube(:, :, 2), factors(i))), 'unscale of rank 3')
    s = reproducing_sum(cube(1:3, :, :), EFP_sum=efp, only_on_PE=.true., unscale=factors(i))
    call ok(same(efp%sum(), scaled(reshape(cube(1:3, :, :), [3, fields]), factors(i))), 'unscale on one rank')
  end do
  s = reproducing_sum(x, isr=from, ier=to, EFP_sum=efp, unscale=0.0_real64)
  call ok(same(s, 0.0_real64) .and. .not. abs(efp%sum()) > 0, 'unscale of 0')

  ! Sums of type EFP_type.
  efp = real_to_EFP(1e300_real64) + real_to_EFP(1.0_real64) - real_to_EFP(1e300_real64)
  call ok(same(EFP_to_real(efp), 1.0_real64), 'plus and minus')
  efp = real_to_EFP(0.1_real64) - real_to_EFP(0.3_real64)
  call ok(same(EFP_to_real(efp), quire_sum([0.1_real64, -0.3_real64])), 'a negative difference')
  call ok(same(EFP_real_diff(efp, efp), 0.0_real64), 'a difference of 0')
  efp = real_to_EFP(1.0_real64) - real_to_EFP(ieee_value(s, ieee_positive_inf))
  call ok(efp%sum() < -huge(s), 'less infinity')
  efp_layers(1) = real_to_EFP(real(rank, real64))
  efp_layers(2) = real_to_EFP(0.1_real64)
  call EFP_sum_across_PEs(efp_layers, 2, errors)
  call ok(same(EFP_to_real(efp_layers(1)), real(ranks * (ranks - 1) / 2, real64)) .and. .not. any(errors) &
          .and. same(EFP_to_real(efp_layers(2)), quire_sum(spread(0.1_real64, 1, ranks))), 'a list over ranks')
  efp = real_to_EFP(0.1_real64)
  call EFP_sum_across_PEs(efp)
  call ok(same(EFP_to_real(efp), EFP_to_real(efp_layers(2))) .and. .not. query_EFP_overflow_error(), 'one over ranks')

  ! No communicator: an error on every rank, which nothing hides.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call quire_reprosum_communicator(MPI_COMM_NULL)
  s = reproducing_sum(x, EFP_sum=efp, err=err)
  call ok(ieee_is_nan(s) .and. ieee_is_nan(EFP_to_real(efp)) .and. err == 1, 'a failure of rank 2')
  s = reproducing_sum(cube, sums=layers, err=err)
  call ok(ieee_is_nan(s) .and. everywhere(ieee_is_nan(layers)) .and. err == 1, 'a failure of rank 3')
  efp_layers(2) = real_to_EFP(0.1_real64)
  call EFP_sum_across_PEs(efp_layers, 2, errors)
  call ok(everywhere(errors) .and. ieee_is_nan(EFP_to_real(efp_layers(2))), 'a failure of a list')
  sums = 0
  call shr_reprosum_calc(x, sums, n, n, fields, commid=MPI_COMM_NULL)
  call ok(everywhere(ieee_is_nan(sums)), 'a failure of shr_reprosum_calc')
  sums = 7
  call quire_mpi_sum_fields(x, sums, MPI_COMM_NULL, status)
  call ok(status /= 0 .and. everywhere(abs(sums - 7) < tiny(s)), 'with a status sums are untouched')
  if (rank == 0) print '("1..", i0)', cases
  call MPI_Finalize(code)

contains

  pure logical function same(found, expected)
    real(real64), intent(in) :: found, expected
    same = transfer(found, 1_int64) == transfer(expected, 1_int64)
  end function

  ! The sum of factor * values, rounded once.
  real(real64) function scaled(values, factor)
    real(real64), intent(in) :: values(:, :), factor
    type(quire_accumulator) :: products
    call products%add_products(reshape(values, [size(values)]), spread(factor, 1, size(values)))
    scaled = products%sum()
  end function

  pure logical function everywhere(conditions)
    logical, intent(in) :: conditions(:)
    everywhere = count(conditions) == size(conditions)
  end function

  logical function alike(found)
    real(real64), intent(in) :: found(fields)
    integer :: k
    alike = .true.
    do k = 1, fields
      alike = alike .and. same(found(k), quire_sum(x(:, k)))
    end do
  end function

  subroutine ok(condition, name) ! on all ranks
    logical, intent(in) :: condition
    character(*), intent(in) :: name
    logical :: everyone
    cases = cases + 1
    call MPI_Allreduce(condition, everyone, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, code)
    if (rank /= 0) return
    if (everyone) print '("ok ", i0, " - ", a)', cases, name
    if (.not. everyone) print '("not ok ", i0, " - ", a)', cases, name
  end subroutine

end program
