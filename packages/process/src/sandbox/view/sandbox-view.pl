# Perl that the supervisor runs for a command in bubblewrap. bubblewrap mounts by names, and a name below the workspace
# can be made to lead elsewhere by another command between the look and the mount. Here each place is walked to inside the
# new mount namespace, component by component and without following links; it must be the object that jinn looked at; and
# the mount is put onto the descriptor that holds it.
#
# `build_view` gets the output of `--info-fd`, a socket whose end tells that bubblewrap has made its mounts, the numbers of
# system calls and flags, and the places in groups of four: the kind, the identity (`device:inode`, or `-` for any), the
# path and a target. It returns when the view is built, and dies otherwise: with `changed: PATH` where another object is
# there than the one that jinn saw. The kinds are
# - `h`, hide: an empty directory, or a file that cannot be opened, lies over it; a target is a directory below it that
#   stays readable;
# - `o`, only: an empty directory lies over it, with the directory that is the target, which stays as it is;
# - `r`, read-only;
# - `w`, writable, unless the machine has it read-only;
# - `p`, pinned: it is mounted on itself, so that it cannot be renamed or removed;
# - `l`, link: a symbolic link to the target lies over it;
# - `s`, shown: the target lies over it; the directories on the way are made, in the /tmp that commands have.
#
# `leave_outside` takes from the process that becomes the command what no mount hides: keys of the kernel, which belong to a
# session (keyrings(7)), abstract Unix sockets (landlock(7), ABI 6), and calls by which files run as their owner (seccomp(2)).

my ($BIND, $REC, $REMOUNT, $RDONLY, $PRIVATE) = (4096, 16384, 32, 1, 0x40000);
my $STORE = '/run/jinn';
my (%call, $root);

sub build_view {
  my ($info, $ready, $numbers, @places) = @_;
  @call{qw(openat close mount setns statfs flags)} = map { $_ + 0 } (split / /, $numbers)[0 .. 5];
  my $child = child_of($info);
  wait_for_root($child, $ready);
  enter($child);
  make_store();
  while (my ($kind, $id, $path, $target) = splice(@places, 0, 4)) {
    my $fd = $kind eq 's' ? make_way($path) : walk($path, $id);
    next if !defined $fd;
    if ($kind eq 'h' && length $target) { hide_but($path, $fd, $target, $RDONLY) }
    elsif ($kind eq 'o') { hide_but($path, $fd, $target, 0) }
    else { put_over($kind, $fd, $target) }
    close_fd($fd);
  }
  return 1;
}

sub child_of {
  my ($info, $text) = (shift, '');
  while ($text !~ /\}/) {
    sysread($info, $text, 4096, length $text) or exit 0; # bubblewrap ended, and has said why.
  }
  return $text =~ /"child-pid"\s*:\s*(\d+)/ ? $1 : die "bubblewrap names no process\n";
}

# The final root is the only one that has the store: bubblewrap makes it, in a file system of its own.
sub wait_for_root {
  my ($child, $ready) = @_;
  sysread($ready, my $none, 1); # Until bubblewrap has closed the other end: all its mounts are done.
  for (my $tries = 0; $tries < 100_000; $tries++) {
    return if -e "/proc/$child/root$STORE/here";
    exit 0 if !kill(0, $child);
    select(undef, undef, undef, 0.0001);
  }
  die "bubblewrap does not finish\n";
}

sub enter {
  my $child = shift;
  open(my $space, '<', "/proc/$child/ns/mnt") or die "no mount namespace: $!\n";
  my $owner = ioctl($space, 0xb701, 0) or die "no user namespace: $!\n";
  opendir(my $held, '/proc/self/fd') or die "no /proc/self/fd: $!\n";
  opendir(my $top, "/proc/$child/root") or die "no root: $!\n";
  syscall($call{setns}, $owner + 0, 0x10000000) == 0 or die "cannot enter the user namespace: $!\n";
  syscall($call{setns}, fileno($space), 0x20000) == 0 or die "cannot enter the mount namespace: $!\n";
  # The root of the namespace may still be the one that bubblewrap is about to leave.
  chdir $top && chroot '.' or die "cannot enter the root: $!\n";
  my ($slash, $none) = ('/', 0);
  # bubblewrap lets in what is mounted outside later, and leaves it writable.
  syscall($call{mount}, $none, $slash, $none, $REC | $PRIVATE, $none) == 0 or die "cannot keep mounts out: $!\n";
  $root = syscall($call{openat}, -100, $slash, $call{flags}, 0);
  chdir $held or die "cannot hold descriptors: $!\n";
}

# A descriptor is named by its number: the working directory is that of descriptors.
sub walk {
  my ($path, $id) = @_;
  my $fd = $root;
  for my $name (grep { length } split m{/}, $path) {
    my $next = syscall($call{openat}, $fd, $name, $call{flags}, 0);
    my $missing = $!;
    close_fd($fd) if $fd != $root;
    if ($next < 0) {
      die "changed: $path\n" if $id ne '-';
      return undef;
    }
    $fd = $next;
  }
  my @stat = stat("$fd");
  die "changed: $path\n" if $id ne '-' && "$stat[0]:$stat[1]" ne $id;
  return $fd;
}

# Commands may have put something else in the way: then nothing is shown.
sub make_way {
  my ($path, $fd) = (shift, $root);
  for my $name (grep { length } split m{/}, $path) {
    mkdir "$fd/$name", 0700;
    my $next = syscall($call{openat}, $fd, $name, $call{flags}, 0);
    close_fd($fd) if $fd != $root;
    return undef if $next < 0;
    $fd = $next;
  }
  return $fd if -d "$fd";
  close_fd($fd);
  return undef;
}

sub close_fd { syscall($call{close}, $_[0] + 0) }

sub make_store {
  mkdir "$STORE/$_", 0755 for qw(d links);
  mkdir "$STORE/hidden", 0555;
  for my $name (qw(f secret)) {
    open(my $file, '>', "$STORE/$name") or die "cannot write to the store: $!\n";
    chmod 0, "$STORE/$name";
  }
  remount($RDONLY, "$STORE/$_", "$STORE/$_") for qw(hidden secret);
}

sub put_over {
  my ($kind, $fd, $target) = @_;
  my $type = (stat("$fd"))[2] & 0170000;
  if ($kind eq 'h') { bind_over($type == 0040000 ? "$STORE/hidden" : "$STORE/secret", "$fd") }
  elsif ($kind eq 'l') { put_link($target, $fd) }
  elsif ($kind eq 's') { bind_over($target, "$fd") }
  elsif ($kind eq 'w') { remount(0, "$fd", "$fd") }
  elsif ($kind eq 'p' || $type == 0120000) { bind_over("$fd", "$fd") }
  else { remount($RDONLY, "$fd", "$fd") }
}

sub hide_but {
  my ($path, $fd, $target, $wanted) = @_;
  my $kept = walk("$path/$target", '-');
  return put_over('h', $fd) if !defined $kept;
  my $top = $wanted ? "$STORE/kept" : "$STORE/only";
  my $place = $top;
  mkdir $place, 0555;
  for my $name (split m{/}, $target) { mkdir($place .= "/$name", 0555) }
  remount($wanted, "$kept", $place);
  remount($RDONLY, $top, "$fd");
  close_fd($kept);
}

# A link that is mounted is followed, and what it leads to can be replaced by a rename beside it.
sub put_link {
  my ($target, $fd) = @_;
  my $path = "$STORE/links/$fd";
  unlink $path;
  symlink($target, $path) or die "cannot make a link: $!\n";
  my $link = syscall($call{openat}, -100, $path, $call{flags}, 0);
  bind_over("$link", "$fd");
  close_fd($link);
}

# In a place that no command can reach, so that the flag is set on this mount and no other. The mounts pile up there: to
# take one off makes the system wait.
sub remount {
  my ($wanted, $from, $to) = @_;
  my $stage = -d $from ? "$STORE/d" : "$STORE/f";
  bind_over($from, $stage);
  my $flags = $BIND | $REMOUNT | $wanted | flags_of($stage);
  my $none = 0;
  my $failed = syscall($call{mount}, $none, $stage, $none, $flags, $none) != 0;
  die "cannot make read-only: $!\n" if $failed && $wanted;
  bind_over($stage, $to);
}

# Flags that the machine has set may not be left out.
sub flags_of {
  my $status = "\0" x 256;
  my $path = shift;
  syscall($call{statfs}, $path, $status) == 0 or die "cannot look at a mount: $!\n";
  my $flags = unpack('x80 Q', $status);
  return ($flags & 0xc0e) | ($flags & 0x1000 ? 0x200000 : 0);
}

sub bind_over {
  my ($from, $to, $none) = (@_, 0);
  syscall($call{mount}, $from, $to, $none, $BIND | $REC, $none) == 0 or die "cannot mount: $!\n";
}

sub leave_outside {
  my ($prctl, $numbers, $is_setuid) = @_;
  my ($keyctl, $filter) = (split / /, $numbers)[6, 7];
  syscall($keyctl + 0, 1, 0); # KEYCTL_JOIN_SESSION_KEYRING, without a name: a new one.
  return if $is_setuid; # The rest would keep bubblewrap from becoming root where it has to.
  syscall($prctl, 38, 1, 0, 0, 0) == 0 or exit 126; # PR_SET_NO_NEW_PRIVS
  scope_sockets();
  my $program = pack('H*', $filter);
  my $pointed = pack('S x6 P', length($program) / 8, $program);
  syscall($prctl, 22, 2, $pointed, 0, 0); # PR_SET_SECCOMP: a system without filters goes on without.
}

# Returns a pipe from which bubblewrap reads the filter of the command, which it sets as the last thing before the command.
sub filter_of {
  my $filter = pack('H*', (split / /, shift)[8]);
  my ($out_of, $into);
  pipe($out_of, $into) && syswrite($into, $filter) == length $filter or exit 126;
  fcntl($out_of, 2, 0);
  return $out_of;
}

sub scope_sockets {
  my $handled = pack('QQQ', 0, 0, 1);
  my $rules = syscall(444, $handled, 24, 0);
  syscall(446, $rules, 0) if $rules >= 0;
}
1;
