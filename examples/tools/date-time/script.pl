#!/usr/bin/env perl
# Tells the time and calculates with it. Perl and its standard library are on nearly every system.
use strict;
use warnings;
use JSON::PP;
use POSIX qw(floor strftime tzset);
use Time::HiRes qw(time);
use Time::Local qw(timegm timelocal);

my %SECONDS = (s => 1, m => 60, h => 3600, d => 86_400, w => 604_800);
# The years 1000 to 9999: Time::Local takes a smaller number for a year of this century.
my ($FIRST, $LAST) = (-30_610_224_000, 253_402_300_799);

my $json = JSON::PP->new->utf8->canonical;
my $output = eval { answer($json->decode(do { local $/; <STDIN> })) };
$output = { error => $@ =~ s/(?: at \S+ line \d+.*)?\s*$//sr } unless $output;
print $json->encode($output);

sub answer {
    my ($args) = @_;
    my $zone = use_zone($args->{zone} // 'UTC');
    my $at = defined $args->{at} ? parse($args->{at}) : floor(time);
    $at += $1 * $SECONDS{$2} if defined $args->{add} && $args->{add} =~ /^([+-]?\d+)([smhdw])$/;
    $at = check($at);
    my $iso = format_iso($at);
    my %result = (
        iso => $iso,
        unix => 0 + $at,
        weekday => (qw(Sunday Monday Tuesday Wednesday Thursday Friday Saturday))[(localtime $at)[6]],
        week => 0 + strftime('%V', localtime $at),
        zone => $zone,
    );
    my $shown = "$result{weekday}, $iso";
    if (defined $args->{until}) {
        my $seconds = parse($args->{until}) - $at;
        %result = (%result, seconds_until => 0 + $seconds, until => format_duration($seconds));
        $shown .= "; $result{until}";
    }
    $result{_visualization} = { type => 'none', message => $shown };
    return \%result;
}

# A zone that the system does not know would silently be UTC.
sub use_zone {
    my ($zone) = @_;
    my @places = qw(/usr/share/zoneinfo /usr/share/lib/zoneinfo /etc/zoneinfo);
    my $is_known = $zone eq 'UTC' || grep { -f "$_/$zone" } @places;
    die "there is no zone $zone; use a name such as Europe/Berlin\n" unless $is_known;
    $ENV{TZ} = $zone;
    tzset();
    return $zone;
}

sub parse {
    my ($text) = @_;
    return check(floor($text)) if $text =~ /^-?\d{1,12}(?:\.\d+)?$/ && $text !~ /^\d{8}$/;
    $text =~ /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i
      or die "$text is not a time; write it as 2026-03-01T12:00:00Z\n";
    my ($year, $month, $day, $hour, $minute, $second, $offset) = ($1, $2, $3, $4 // 0, $5 // 0, $6 // 0, $7);
    my @fields = ($second, $minute, $hour, $day, $month - 1, $year);
    die "the time is not in the years 1000 to 9999\n" if $year < 1000;
    my $at = eval { defined $offset ? timegm(@fields) : timelocal(@fields) };
    die "$text is not a time that exists\n" unless defined $at;
    $at -= "${1}1" * ($2 * 3600 + $3 * 60) if defined $offset && $offset =~ /^([+-])(\d\d):?(\d\d)$/;
    return check($at);
}

sub check {
    my ($at) = @_;
    die "the time is not in the years 1000 to 9999\n" if $at < $FIRST || $at > $LAST;
    return $at;
}

sub format_iso {
    my ($at) = @_;
    my ($second, $minute, $hour, $day, $month, $year) = localtime $at;
    my $offset = timegm($second, $minute, $hour, $day, $month, $year + 1900) - $at;
    my $sign = $offset < 0 ? '-' : '+';
    my $zone = $offset == 0 ? 'Z' : sprintf '%s%02d:%02d', $sign, abs($offset) / 3600, abs($offset) % 3600 / 60;
    return sprintf '%04d-%02d-%02dT%02d:%02d:%02d%s', $year + 1900, $month + 1, $day, $hour, $minute, $second, $zone;
}

sub format_duration {
    my ($seconds) = @_;
    my $left = abs $seconds;
    my @parts;
    for my $unit ([day => 86_400], [hour => 3600], [minute => 60], [second => 1]) {
        my ($name, $size) = @$unit;
        my $count = floor($left / $size);
        $left -= $count * $size;
        push @parts, sprintf '%d %s%s', $count, $name, $count == 1 ? '' : 's' if $count > 0;
    }
    return 'no time' unless @parts;
    return join(', ', @parts) . ($seconds < 0 ? ' ago' : '');
}
