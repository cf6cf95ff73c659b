# Copies standard input to standard output, and its first bytes to a file, which gets another name at the end if it has all of
# the input. Unlike tee it cannot fill the disk, and like tee it ends with its reader, so that `yes | head` ends.
#
# Arguments: the file, and how many bytes it takes. It is run as one line between single quotes (prepared-command.ts), so that a
# comment has lines of its own, and no single quote stands below.

my ($file, $room) = @ARGV;
open(my $kept, ">", $file);
while (sysread(STDIN, my $bytes, 65536)) {
  if ($room > 0) {
    syswrite($kept, $bytes, $room < length $bytes ? $room : length $bytes);
    $room -= length $bytes;
  }
  else {
    $room = -1;
  }
  for (my $at = 0; $at < length $bytes;) {
    my $written = syswrite(STDOUT, $bytes, length($bytes) - $at, $at);
    exit 1 if !defined $written;
    $at += $written;
  }
}
rename $file, "$file.all" if $room >= 0;
