# Prints the password of the BMCs' account, for the fencing agent. Refuses a file that others than root may read or write: whoever has this password turns
# servers off.
[ -e "$file" ] || { echo "fence-password: $file is missing" >&2; exit 1; }
if [ -z "$(find -L "$file" -maxdepth 0 -type f -user 0 ! -perm /077)" ]; then
  echo "fence-password: $file must belong to root, and no other user may read it: chown root:root $file && chmod 0600 $file" >&2
  exit 1
fi
exec cat "$file"
