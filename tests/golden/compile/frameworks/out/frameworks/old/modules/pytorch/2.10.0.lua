-- made by clusterc from spec 'case'; do not edit: it follows from the spec
whatis("Name: pytorch")
whatis("Version: 2.10.0, CUDA 12.8")
family("frameworks")
setenv("VIRTUAL_ENV", "/opt/frameworks/pytorch-2.10.0")
prepend_path("PATH", "/opt/frameworks/pytorch-2.10.0/bin")
