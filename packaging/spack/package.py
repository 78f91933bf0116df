# Spack 1.0 and later; older ones have MesonPackage in spack.package.
from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Quire(MesonPackage):
    """Correctly rounded and deterministic sums of floating point numbers, on CPUs and NVIDIA GPUs."""

    license("MIT")

    # In a checkout: spack dev-build quire@develop. A release gets its own line beside this one:
    # version("0.1.0", sha256="of its tarball", url="of its tarball")
    version("develop")

    variant("cuda", default=False, description="the CUDA backend")
    variant("threads", default=True, description="threads on the CPU")
    variant("fortran", default=True, description="the Fortran module")
    variant("mpi", default=False, description="the Fortran module for MPI; quire/mpi.h is there anyway")
    variant("cli", default=True, description="the command quire")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("meson@0.61:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.6:", when="+cuda")
    depends_on("jansson", when="+cli")
    depends_on("zlib-api", when="+cli")

    def meson_args(self):
        args = ["-Dtests=disabled", "-Dbench=disabled", "-Dnccl=disabled"]
        for option in ("cuda", "threads", "fortran", "mpi", "cli", "zlib"):
            variant = "cli" if option == "zlib" else option
            args.append(f"-D{option}={'enabled' if self.spec.satisfies('+' + variant) else 'disabled'}")
        return args
