import type { Rule, Valued } from '../rule.ts';

/** Programs that list, read, copy, change and remove files. */
export const FILES: readonly Rule[] = [
  {
    verb: 'ls cat head tail wc stat pwd tac nl rev cut tr fold expand unexpand fmt column comm join paste cmp basename dirname realpath readlink du df tree md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum md5 shasum od hexdump strings lsblk lscpu lsof vdir dir egrep fgrep grep zcat bzcat xzcat zstdcat zgrep base32 factor numfmt tsort ptx pr look namei pathchk exa eza',
    risk: 'safe',
    reason: 'only reads',
    anyArguments: true,
  },
  {
    verb: 'rg ag ack find fd fdfind file diff sort uniq jq yq bat batcat xxd base64 shuf cloc tokei sdiff',
    risk: 'safe',
    reason: 'only reads',
  },
  { verb: 'rm', risk: 'dangerous', reason: 'removes files — irreversible' },
  {
    verb: 'rmdir unlink rimraf del erase rd trash trash-put srm',
    risk: 'dangerous',
    reason: 'removes files or directories',
  },
  { verb: 'shred wipe', risk: 'dangerous', reason: 'destroys what files hold' },
  { verb: 'truncate', risk: 'dangerous', reason: 'cuts what files hold' },
  { verb: 'dd ddrescue', risk: 'dangerous', reason: 'copies over files and devices byte by byte' },

  {
    verb: 'cp mv ln install mkdir touch mktemp tee split csplit rename rsync scp sftp cpio pax mkfifo mknod patch dos2unix unix2dos',
    risk: 'caution',
    reason: 'changes files',
  },
  {
    verb: 'tar zip unzip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd 7z rar unrar ar bsdtar compress uncompress',
    risk: 'caution',
    reason: 'packs or unpacks files',
  },
  { verb: 'mv', argument: /^\/dev\/null$/, risk: 'dangerous', reason: 'throws files away' },
  {
    verb: 'rsync',
    option:
      '--delete --delete-before --delete-during --delete-after --delete-excluded --delete-delay --remove-source-files --del',
    risk: 'dangerous',
    reason: 'removes files that the other side lacks',
  },
  {
    verb: 'rsync',
    option: '-e --rsh --rsync-path',
    argument: /^(?!-e$|--rsh$|(-e|--rsh=)?ssh( -p \d+)?$)(-e.|--rsh=|--rsync-path|[^-].*\s)/,
    risk: 'dangerous',
    reason: 'runs another program as its transport',
  },
  { verb: 'scp sftp', option: '-S -D', risk: 'dangerous', reason: 'runs another program as its transport' },
  {
    verb: 'ssh scp sftp',
    argument: /ProxyCommand|LocalCommand|KnownHostsCommand|ProxyUseFdpass|PKCS11Provider|SecurityKeyProvider/i,
    risk: 'dangerous',
    reason: 'has ssh run a command here',
  },
  {
    verb: 'tar bsdtar',
    option: '--to-command --checkpoint-action --info-script --new-volume-script --rsh-command --rmt-command -F',
    risk: 'dangerous',
    reason: 'has tar run a command',
  },
  {
    verb: 'tar bsdtar',
    option: '-I --use-compress-program',
    argument:
      /^(?!-|(gzip|pigz|zstd|zstdmt|xz|pixz|bzip2|pbzip2|lz4|brotli)( -\w+)*$).*[\s/]|^--use-compress-program=(?!(gzip|pigz|zstd|zstdmt|xz|bzip2|lz4)( -\w+)*$)|^-I(?!(gzip|pigz|zstd|xz|bzip2|lz4)?$)/,
    risk: 'dangerous',
    reason: 'has tar run a command',
  },
  { verb: 'tar bsdtar', option: '--remove-files', risk: 'dangerous', reason: 'removes what it packed' },
  { verb: 'tar bsdtar', option: '-P --absolute-names', risk: 'dangerous', reason: 'may write anywhere' },
  {
    verb: 'zip',
    option: '-TT --unzip-command -m --move',
    risk: 'dangerous',
    reason: 'runs a command, or removes what it packed',
  },
  { verb: 'split', option: '--filter', risk: 'dangerous', reason: 'has split run a command' },
  { verb: 'cpio pax', option: '--rsh-command', risk: 'dangerous', reason: 'has cpio run a command' },
  { verb: '7z', sub: 'd', risk: 'dangerous', reason: 'removes files' },

  {
    verb: 'chmod chown chgrp chattr setfacl setfattr xattr chflags',
    risk: 'caution',
    reason: 'changes who may do what with files',
  },
  {
    verb: 'chmod',
    argument: /^(0?777|a\+rwx|[ugoa]*[+=]rwx,?[ugoa]*o[+=]rwx|o\+\w*w\w*|\+w)$/,
    risk: 'caution',
    reason: 'lets everybody change the files',
  },
  {
    verb: 'chmod',
    argument: /^([0-7]?[2-7][0-7]{3}|[ugoa,]*[+=][rwxX]*s[rwxXst]*)$/,
    risk: 'dangerous',
    reason: 'lets a program run with the rights of its owner',
  },
  { verb: 'setcap', risk: 'dangerous', reason: 'gives a program rights over the system' },
  {
    verb: 'chmod chown chgrp',
    option: '-R --recursive',
    argument: /^(\/|~|\/?\*|\$HOME|\.\.)\/?[*\ue100]?$/,
    risk: 'dangerous',
    reason: 'changes the rights of a whole system or home',
  },

  { verb: 'find', option: '-fprint -fprint0 -fprintf -fls', risk: 'caution', reason: 'writes a file' },
  { verb: 'find', option: '-delete', risk: 'dangerous', reason: 'removes the files it finds' },
  { verb: 'rg', option: '--pre --hostname-bin', risk: 'dangerous', reason: 'has rg run a command on every file' },
  { verb: 'rg ag ack', option: '--pager', risk: 'dangerous', reason: 'runs a command as its pager' },
  {
    verb: 'bat batcat',
    option: '--pager',
    without: '--pager=never',
    risk: 'dangerous',
    reason: 'runs a command as its pager',
  },
  { verb: 'file', option: '-C --compile', risk: 'caution', reason: 'writes a magic file' },
  { verb: 'sort', option: '--compress-program', risk: 'dangerous', reason: 'has sort run a command' },
  { verb: 'sort shuf', option: '-o --output', risk: 'caution', reason: 'writes a file' },
  { verb: 'sdiff', option: '-o --output', risk: 'caution', reason: 'writes a file' },
  { verb: 'yq', option: '-i --inplace', risk: 'caution', reason: 'writes a file' },
  { verb: 'xxd', option: '-r', risk: 'caution', reason: 'writes a file' },
  { verb: 'tree', option: '-o', risk: 'caution', reason: 'writes a file' },
  { verb: 'uniq', sub: '* *', risk: 'caution', reason: 'writes a file' },
  { verb: 'xxd', sub: '* *', risk: 'caution', reason: 'writes a file' },
  { verb: 'base64', option: '-o --output', risk: 'caution', reason: 'writes a file' },
  {
    verb: 'cloc',
    option: '--extract-with --out --report-file --vcs',
    risk: 'caution',
    reason: 'writes a file or runs a command',
  },
  { verb: 'diff', option: '-l --paginate --to-file', risk: 'caution', reason: 'runs a program to print' },
];

export const FILES_VALUED: Valued = {
  sort: '-k -t -S -T -o --key --field-separator --buffer-size --temporary-directory --output --parallel',
  uniq: '-f -s -w --skip-fields --skip-chars --check-chars',
  xxd: '-c -g -l -o -s -n -R --cols --groupsize --len --seek',
  shuf: '-n -i -o --head-count --input-range --output',
  rg: '-e -f -g -t -T -A -B -C -m -M -d -j -r -E --regexp --file --glob --iglob --type --type-not --max-count --max-columns --max-depth --replace --sort --threads',
  tar: '-f -C -T -X -I -F -b -g -H -K -L -N --file --directory --exclude --transform --files-from --use-compress-program',
  file: '-m -f -F -P -e --magic-file --files-from --separator',
  tree: '-L -P -I -o',
  diff: '-U -C -I -x -X -W -F',
  chmod: '--reference',
  zip: '-b -t -tt -n -x -i',
};
