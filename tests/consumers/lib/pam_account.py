#!/usr/bin/env python3
"""pam_account.py SERVICE USER: what PAM's account stack of a service says of a user: 0, or the number and its text. It asks libpam as sshd does (pam_acct_mgmt)."""
import ctypes
import ctypes.util
import sys

pam = ctypes.CDLL(ctypes.util.find_library("pam"))


class Conversation(ctypes.Structure):
    _fields_ = [("function", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)), ("data", ctypes.c_void_p)]


pam.pam_strerror.restype = ctypes.c_char_p
PAM_CONV_ERR, PAM_RHOST = 19, 4
handle = ctypes.c_void_p()
conversation = Conversation(Conversation._fields_[0][1](lambda *_: PAM_CONV_ERR), None)
started = pam.pam_start(sys.argv[1].encode(), sys.argv[2].encode(), ctypes.byref(conversation), ctypes.byref(handle))
if started:
    sys.exit(f"pam_start: {started}")
pam.pam_set_item(handle, PAM_RHOST, b"192.0.2.1")
said = pam.pam_acct_mgmt(handle, 0)
print(said if said == 0 else f"{said} {pam.pam_strerror(handle, said).decode()}")
pam.pam_end(handle, said)
