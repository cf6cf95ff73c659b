# Perl for the process that stands between jinn and its commands (docs/shell.md, "Running"). It does what Node cannot:
# - it adopts every orphan of a command (a subreaper), so that none escapes, whatever session it moves to;
# - it outlives jinn, and ends everything as soon as descriptor 3, a socket to jinn, comes to its end;
# - it reads standard output and error from two pipes in the order in which they were written: each write to a pipe in
#   packet mode stays a packet, and a queued real-time signal tells which pipe it went to (fcntl(2), F_SETSIG). That
#   is exact for writes below 4 KiB as long as no pipe is full, with 256 of them. Where the system has none of this, the
#   pipes are read as they become readable.
#
# Arguments: the numbers of the system calls prctl, rt_sigprocmask, signalfd4 and setsid, and the flag O_DIRECT; 0 for a system
# that has none. From descriptor 3 it reads one command after another: a `c`, the length of a message, 4 bytes, and the
# message, fields that end in NUL: standard input (a file, or `pipe` or `terminal` for one that is typed; empty for a server, which
# gets that of the supervisor, its output and its error instead of pipes), the working directory, the number of fields of a view and these
# (sandbox-view.pl; none without the sandbox), the number of variables, the variables, and the program with its
# arguments. It answers with frames: a letter, the length of the rest, 4 bytes, and the rest. `p` is the process of the
# command, `o` and `e` are output, `x` is the end: the wait status, how many processes were ended after it, how many could
# not be. `v` tells that the view is built. `f` comes before `x` and says why no view could be built, so that the command never
# ran. While a command runs, a `t` asks it to end (SIGTERM), and an `i`, with a length and a text, types that for it, or ends its input
# if there is no text. `w` tells how many bytes it has taken, and `h` whether its terminal hides what is typed, as for a password.
# The end of the socket, or anything else, ends it.

my ($prctl, $sigprocmask, $signalfd, $setsid, $direct) = map { $_ + 0 } @ARGV;
my ($WNOHANG, $PAGE, $RT_SIGNAL, $SIGIO) = (1, 4096, 40, 29);
my ($F_SETFL, $F_SETOWN, $F_SETSIG, $F_SETPIPE_SZ) = (4, 8, 10, 1031);
my ($O_NONBLOCK, $O_ASYNC) = $^O eq 'linux' ? (0x800, 0x2000) : (0x4, 0);
my ($GRACE, $PATIENCE, $SLOTS) = (0.1, 2, 256);
my ($UNLOCK, $NUMBER, $SET_SIZE, $TAKE, $GET_MODE, $O_NOCTTY, $ICANON, $ECHO) = (0x40045431, 0x80045430, 0x5414, 0x540e, 0x5401, 0x100, 2, 8);
my ($typing, $typed, $taken, $isTyped, $isHidden); # The end of the input that is typed into, and what waits for it.
my ($out, $err, $out_end, $err_end, %streams, $pid, $pidfd, $status, $told, $pending, $label, $boxed);

$0 = 'jinn-command';
open(my $jinn, '+<&=', 3) or exit 1;
binmode $jinn;
close_inherited();
my $signals = $prctl ? open_signals() : undef;
syscall($prctl, 36, 1, 0, 0, 0) if $prctl;
# A command may have stopped this process. When jinn dies, SIGCONT resumes it, so that it sees the end of the socket.
syscall($prctl, 1, 18, 0, 0, 0) if $prctl;
while (1) {
  my $kind = receive(1) // exit 0;
  my $message = $kind eq 't' ? '' : receive(unpack('N', receive(4) // exit 0)) // exit 0;
  next if $kind ne 'c'; # It came for a command that has ended.
  my ($stdin, $cwd, $parts, @rest) = split /\0/, $message, -1;
  pop @rest;
  my @view = splice(@rest, 0, $parts);
  my %variables = map { split /=/, $_, 2 } splice(@rest, 0, shift @rest);
  supervise($stdin, $cwd, \%variables, \@rest, \@view);
}

sub close_inherited {
  opendir(my $list, -d '/proc/self/fd' ? '/proc/self/fd' : '/dev/fd') or return;
  for my $fd (grep { /^\d+$/ && $_ > 3 && $_ != fileno($list) } readdir $list) {
    open(my $handle, '<&=', $fd) or next;
    close $handle;
  }
}

sub receive {
  my ($length, $text) = (shift, '');
  while (length $text < $length) {
    sysread($jinn, $text, $length - length $text, length $text) or return undef;
  }
  return $text;
}

sub open_signals {
  my $mask = pack('Q', (1 << ($RT_SIGNAL - 1)) | (1 << ($SIGIO - 1)));
  return undef if syscall($sigprocmask, 0, $mask, 0, 8) != 0;
  open(my $handle, '<&=', syscall($signalfd, -1, $mask, 8, 0x80000 | $O_NONBLOCK)) or return undef;
  return $handle;
}

sub supervise {
  pipe($out, $out_end) && pipe($err, $err_end) or exit 1;
  %streams = (fileno($out) => [$out, 'o'], fileno($err) => [$err, 'e']);
  fcntl($_, $F_SETFL, $O_NONBLOCK) for $out, $err;
  my ($input, $kept) = (open_input($_[0]), $signals);
  # A terminal has one stream, which shows no packets.
  if ($_[0] eq 'terminal') { %streams = (fileno($typing) => [$typing, 'o']); $signals = undef }
  undef $signals if $signals && !listen_to_writes();
  $kept &&= $signals if $_[0] ne 'terminal';
  ($status, $told, $pending, $label) = (undef, 0, '', '');
  if ($signals) { 1 while sysread($signals, my $stale, 8192) }
  my $view = pop;
  my $gate = @$view ? open_gate(shift @$view, $view->[0]) : undef;
  $boxed = defined $gate;
  $pid = fork();
  exit 1 if !defined $pid;
  run(@_, $gate, $input) if $pid == 0;
  undef $input if $_[0] eq 'pipe';
  release_standard() if $_[0] eq '';
  start_view($gate, $view) if $gate;
  $SIG{$_} = 'IGNORE' for qw(HUP INT QUIT TERM PIPE);
  send_frame('p', $pid);
  close $out_end;
  close $err_end;
  wait_for_end();
  my ($ended, $left) = finish();
  $status = 9 if !defined $status;
  send_frame('x', "$status $ended $left");
  close $out;
  close $err;
  undef $typing;
  $signals = $kept;
}

# Returns the end of the command. That of a terminal stays open here, so that nothing typed or written is lost.
sub open_input {
  my $kind = shift;
  ($typing, $typed, $taken, $isTyped, $isHidden) = (undef, '', 0, 0, 0);
  my $input;
  if ($kind eq 'pipe') { pipe($input, $typing) or exit 1 }
  elsif ($kind eq 'terminal') {
    my ($number, $size) = (pack('i', 0), pack('S4', 40, 200, 0, 0));
    sysopen($typing, '/dev/ptmx', 2 | $O_NOCTTY) && ioctl($typing, $UNLOCK, $number) && ioctl($typing, $NUMBER, $number) or exit 1;
    sysopen($input, '/dev/pts/' . unpack('i', $number), 2 | $O_NOCTTY) or exit 1;
    ioctl($input, $SET_SIZE, $size);
  }
  fcntl($typing, $F_SETFL, $O_NONBLOCK) if $typing;
  return $input;
}

# Takes a text from jinn. Returns false if jinn has ended.
sub take_input {
  my $length = unpack('N', receive(4) // return 0);
  my $text = receive($length) // return 0;
  $typed .= $text;
  $isTyped = 1 if !$length;
  type_input();
  return 1;
}

sub type_input {
  my $length = $typing && length $typed ? syswrite($typing, $typed) : 0;
  return if !defined $length && $! == ($^O eq 'linux' ? 11 : 35);
  $length = length $typed if !defined $length || !$typing; # No one reads it any more.
  substr($typed, 0, $length, '');
  send_frame('w', $taken += $length) if $length;
  undef $typing if $isTyped && !length $typed;
}

sub look_at_echo {
  my $mode = "\0" x 64;
  ioctl($typing, $GET_MODE, $mode) or return;
  my $now = (unpack('L4', $mode))[3] & ($ICANON | $ECHO) ^ $ICANON ? 0 : 1;
  send_frame('h', $isHidden = $now) if $now != $isHidden;
}

sub listen_to_writes {
  for my $pipe ($out, $err) {
    fcntl($pipe, $F_SETOWN, $$ + 0) or return 0;
    fcntl($pipe, $F_SETSIG, $RT_SIGNAL) or return 0;
    fcntl($pipe, $F_SETFL, $O_NONBLOCK | $O_ASYNC) or return 0;
  }
  for my $end ($out_end, $err_end) {
    fcntl($end, $F_SETFL, $direct) or return 0;
    my $size = fcntl($end, $F_SETPIPE_SZ, $SLOTS * $PAGE) || fcntl($end, $F_SETPIPE_SZ + 1, 0) or return 0;
    $SLOTS = $size / $PAGE if $size < $SLOTS * $PAGE;
  }
  return 1;
}

# Only the server may hold the pipes to jinn: each side sees the end of the other.
sub release_standard {
  open(STDIN, '<', '/dev/null') && open(STDOUT, '>', '/dev/null') && open(STDERR, '>', '/dev/null') or exit 1;
}

# The command waits at the gate until a byte comes: its end is open for writing too, so that it never sees the end of it.
sub open_gate {
  defined &build_view or eval $_[0] or exit 1;
  pipe(my $info, my $info_end) && pipe(my $gate, my $gate_end) or exit 1;
  open(my $both, '+<', '/proc/self/fd/' . fileno $gate) or exit 1;
  socketpair(my $ready, my $ready_end, 1, 1, 0) or exit 1;
  shutdown($ready, 1); # bubblewrap reads nothing from it.
  return { numbers => $_[1], info => $info, info_end => $info_end, both => $both, end => $gate_end, ready => $ready, ready_end => $ready_end };
}

sub start_view {
  my ($gate, $view) = @_;
  close $gate->{$_} for qw(info_end ready_end);
  my $builder = fork();
  exit 1 if !defined $builder;
  return if $builder;
  close $_ for $out, $err, $out_end, $err_end;
  if (eval { build_view(@$gate{qw(info ready)}, @$view) }) {
    send_frame('v', '');
    syswrite($gate->{end}, '1');
  }
  else {
    send_frame('f', $@);
    kill 'KILL', -$pid, $pid;
  }
  exit 0;
}

sub run {
  my ($stdin, $cwd, $variables, $command, $gate, $input) = @_;
  if ($sigprocmask) {
    my $none = pack('Q', 0);
    syscall($sigprocmask, 2, $none, 0, 8);
  }
  $SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM PIPE);
  if ($stdin eq 'terminal') {
    syscall($setsid) >= 0 && ioctl($input, $TAKE, 0) or exit 126;
    open(STDIN, '<&', $input) && open(STDOUT, '>&', $input) && open(STDERR, '>&', $input) or exit 126;
  }
  else { setpgrp(0, 0) }
  if ($stdin eq 'pipe') {
    open(STDIN, '<&', $input) && open(STDOUT, '>&', $out_end) && open(STDERR, '>&', $err_end) or exit 126;
  }
  elsif ($stdin =~ m{^/}) {
    open(STDIN, '<', $stdin) && open(STDOUT, '>&', $out_end) && open(STDERR, '>&', $err_end) or exit 126;
    unlink $stdin if $stdin ne '/dev/null';
  }
  chdir $cwd or fail("cannot enter the working directory: $!");
  %ENV = %$variables;
  my $filter; # Open until bubblewrap runs.
  if ($gate) {
    leave_outside($prctl, $gate->{numbers}, -u $command->[0]);
    fcntl($gate->{$_}, 2, 0) for qw(info_end both ready_end);
    for my $i (1 .. $#$command) { # The first is bubblewrap's: the command comes after its arguments.
      next if $command->[$i] ne '{ready}';
      $command->[$i] = fileno $gate->{ready_end};
      last;
    }
    $filter = filter_of($gate->{numbers});
    my @options = ('--info-fd', fileno $gate->{info_end}, '--block-fd', fileno $gate->{both});
    splice(@$command, 1, 0, @options, '--seccomp', fileno $filter);
  }
  exec { $command->[0] } @$command or fail("cannot run $command->[0]: $!");
}

sub fail {
  syswrite(STDERR, "jinn: $_[0]\n");
  exit 126;
}

sub wait_for_end {
  my $pidfd_number = $prctl ? syscall(434, $pid, 0) : -1;
  open($pidfd, '<&=', $pidfd_number) if $pidfd_number >= 0;
  my ($tick, $lost, $asked) = ($pidfd_number < 0 ? 0.02 : 0.1, 0, 0);
  until (defined $status || $told) {
    my $ready = '';
    vec($ready, 3, 1) = 1;
    vec($ready, $pidfd_number, 1) = 1 if $pidfd_number >= 0;
    vec($ready, $_, 1) = 1 for $signals ? fileno($signals) : keys %streams;
    my $free = '';
    vec($free, fileno $typing, 1) = 1 if $typing && length $typed;
    my $found = select($ready, $free, undef, $tick);
    type_input() if length $typed;
    look_at_echo() if $typing && $streams{ fileno $typing };
    $lost = $found > 0 || !readable() ? 0 : $lost + 1;
    drain($lost > 1);
    if ($found > 0 && vec($ready, 3, 1)) {
      my $word = receive(1) // '';
      $asked = 1 if $word eq 't';
      $told = !($word eq 'i' ? take_input() : $word eq 't');
    }
    # A command that is about to start has no group yet: it is asked again.
    $asked = 0 if $asked && ask_to_end();
    reap();
  }
  close $pidfd if $pidfd_number >= 0;
}

# Returns how many processes, or groups, got the signal.
sub ask_to_end {
  return kill 'TERM', $boxed ? grep { name_of($_) ne 'bwrap' } members() : -$pid;
}

# bubblewrap would end by the signal, and all that runs in it: only that gets the signal. Before the command begins, there are its
# own processes alone.
sub members {
  opendir(my $proc, '/proc') or return ();
  return grep { /^\d+$/ && ((fields_of($_))[2] // 0) == $pid } readdir $proc;
}

sub name_of {
  open(my $comm, '<', "/proc/$_[0]/comm") or return 'bwrap';
  my $name = <$comm> // 'bwrap';
  chomp $name;
  return $name;
}

sub readable {
  my $ready = '';
  vec($ready, $_, 1) = 1 for keys %streams;
  return select($ready, undef, undef, 0) > 0;
}

sub reap {
  my $dead;
  while (($dead = waitpid(-1, $WNOHANG)) > 0) { $status = $? if $dead == $pid }
  return $dead == 0;
}

sub drain {
  my $all = shift;
  if ($signals) {
    my (%count, @order);
    while (my $length = sysread($signals, my $raw, 65536)) {
      for (my $at = 0; $at < $length; $at += 128) {
        push @order, unpack('l', substr($raw, $at + 20, 4));
        $all = 1 if unpack('L', substr($raw, $at, 4)) == $SIGIO;
      }
    }
    # A write to a full pipe signals once more, before it waits. No more than fill a pipe can have come since the last time.
    for my $fd (@order) { take($fd, 1) if $streams{$fd} && ++$count{$fd} <= $SLOTS }
  }
  if ($all || !$signals) { take($_, 0) for sort { $a <=> $b } keys %streams }
  flush_output();
}

sub take {
  my ($fd, $one) = @_;
  my ($pipe, $letter) = @{ $streams{$fd} };
  while (1) {
    my $length = sysread($pipe, my $bytes, 65536);
    return if !defined $length;
    if (!$length) { delete $streams{$fd}; return }
    flush_output() if $letter ne $label || length $pending > 65536;
    $pending .= $bytes;
    $label = $letter;
    return if $one && $length % $PAGE;
  }
}

sub flush_output {
  send_frame($label, $pending) if length $pending;
  $pending = '';
}

sub send_frame {
  my $frame = $_[0] . pack('N', length $_[1]) . $_[1];
  for (my $at = 0; $at < length $frame;) {
    my $written = syswrite($jinn, $frame, length($frame) - $at, $at);
    return if !defined $written;
    $at += $written;
  }
}

sub finish {
  my ($waited, $pause, $limit, %victims) = (0, 0.0005, $told ? 0 : $GRACE);
  for (; $waited < $limit + $PATIENCE; $waited += $pause) {
    drain(1);
    my $remain = reap() || kill(0, -$pid);
    last if defined $status && !$remain;
    if ($waited >= $limit) {
      my @children = children();
      $victims{$_} = 1 for grep { $_ != $pid } @children;
      kill 'KILL', -$pid, @children;
      kill 'KILL', $pid if !defined $status;
    }
    select(undef, undef, undef, $pause);
    $pause *= 2 if $pause < 0.01;
  }
  drain(1);
  my @left = children();
  return (scalar keys %victims, scalar @left);
}

sub children {
  return () if !$prctl;
  my @pids;
  if (open(my $list, '<', "/proc/$$/task/$$/children")) { @pids = split ' ', scalar(<$list>) // '' }
  elsif (opendir(my $proc, '/proc')) { @pids = grep { /^\d+$/ && ((fields_of($_))[1] // 0) == $$ } readdir $proc }
  return grep { ((fields_of($_))[0] // 'Z') ne 'Z' } @pids;
}

sub fields_of {
  open(my $stat, '<', "/proc/$_[0]/stat") or return ();
  return split ' ', ((scalar(<$stat>) // '') =~ /.*\) (.*)/s)[0] // '';
}
