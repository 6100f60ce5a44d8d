-- made by clusterc from spec 'case'; do not edit: it follows from the spec
whatis("Name: jax")
whatis("Version: 0.11.1, CUDA 12")
family("frameworks")
setenv("VIRTUAL_ENV", "/opt/frameworks/jax-0.11.1")
prepend_path("PATH", "/opt/frameworks/jax-0.11.1/bin")
