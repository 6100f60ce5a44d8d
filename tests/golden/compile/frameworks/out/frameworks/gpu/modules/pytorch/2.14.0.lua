-- made by clusterc from spec 'case'; do not edit: it follows from the spec
whatis("Name: pytorch")
whatis("Version: 2.14.0, CUDA 13.0")
family("frameworks")
setenv("VIRTUAL_ENV", "/opt/frameworks/pytorch-2.14.0")
prepend_path("PATH", "/opt/frameworks/pytorch-2.14.0/bin")
