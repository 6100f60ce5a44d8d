-- made by clusterc from spec 'case'; do not edit: it follows from the spec
whatis("Name: tensorflow")
whatis("Version: 2.21.0, CUDA 12.5")
family("frameworks")
setenv("VIRTUAL_ENV", "/opt/frameworks/tensorflow-2.21.0")
prepend_path("PATH", "/opt/frameworks/tensorflow-2.21.0/bin")
