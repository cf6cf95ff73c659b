/**
 * Files and directories that hold keys, tokens, passwords, cookies or what a person typed. Pure data, so that other
 * packages can use it too. Sources: the manual of each program, in its section on files, credentials or configuration;
 * for browsers and desktops the XDG base directory specification and the vendors' notes on profiles; for Windows
 * programs under macOS the `Library` counterparts. A program that honours an environment variable for another place
 * (`AWS_SHARED_CREDENTIALS_FILE`) is listed by its default.
 */

/** Paths below the home directory. A directory stands for everything in it. */
export const CREDENTIAL_PLACES: readonly string[] = [
  // jinn: the variables of custom tools; grants, and snapshots of files
  ...['.config/jinn/.env', '.config/jinn/state.db', '.config/jinn/state.db-wal'],
  // ssh(1), gpg(1), pass(1), age, sops, step-ca
  ...['.ssh', '.gnupg', '.password-store', '.config/age', '.config/sops', '.step', '.minisign', '.putty'],
  // Clouds
  ...['.aws', '.azure', '.oci', '.bluemix', '.config/gcloud', '.config/doctl', '.config/linode-cli', '.config/hcloud'],
  ...[
    '.config/scw',
    '.config/exoscale',
    '.config/vultr-cli.yaml',
    '.aliyun',
    '.tccli',
    '.ovh.conf',
    '.config/openstack',
  ],
  ...['.s3cfg', '.boto', '.config/rclone', '.config/b2', '.b2_account_info', '.mc', '.config/filezilla'],
  ...['.config/stripe', '.pulumi', '.fly', '.config/fly', '.config/netlify', '.netlify', '.vercel', '.config/vercel'],
  ...['.local/share/com.vercel.cli', '.wrangler', '.config/.wrangler', '.config/configstore', '.config/heroku'],
  ...['.railway', '.supabase', '.config/firebase', '.snowflake', '.snowsql', '.databrickscfg', '.terraformrc'],
  ...[
    '.terraform.d/credentials.tfrc.json',
    '.vault-token',
    '.config/vault',
    '.nomad-token',
    '.consul-token',
    '.ansible/vault',
  ],
  ...[
    '.config/ngrok',
    '.ngrok2',
    '.cloudflared',
    '.config/tailscale',
    '.config/sentry-cli',
    '.sentryclirc',
    '.config/datadog',
  ],
  // Containers and clusters
  ...['.docker/config.json', '.docker/contexts', '.config/containers/auth.json', '.kube', '.config/helm', '.minikube'],
  ...['.config/argocd', '.argocd', '.rancher', '.config/k9s/clusters', '.config/openshift', '.talos'],
  // Forges and git
  ...['.git-credentials', '.config/git/credentials', '.config/gh', '.config/hub', '.config/glab-cli', '.config/tea'],
  ...['.config/bitbucket', '.config/jira', '.jira.d', '.config/.jira', '.hgrc', '.subversion/auth', '.gitcookies'],
  ...['.git-credential-cache', '.cache/git/credential'],
  // Package registries
  ...[
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.config/yarn',
    '.config/pnpm/rc',
    '.bunfig.toml',
    '.pypirc',
    '.pip/pip.conf',
  ],
  ...['.config/pip/pip.conf', '.config/pypoetry/auth.toml', '.config/uv/credentials', '.local/share/uv/credentials'],
  ...['.condarc', '.conda', '.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.bundle/config'],
  ...['.composer/auth.json', '.config/composer/auth.json', '.m2/settings.xml', '.m2/settings-security.xml'],
  ...[
    '.gradle/gradle.properties',
    '.sbt/credentials',
    '.ivy2/.credentials',
    '.nuget/NuGet/NuGet.Config',
    '.hex/hex.config',
  ],
  ...[
    '.config/NuGet/NuGet.Config',
    '.config/dart/pub-credentials.json',
    '.pub-cache/credentials.json',
    '.cabal/config',
  ],
  ...['.opam/opam-init/credentials', '.luarocks/upload_config.lua', '.config/rubygems', '.cpan/CPAN/MyConfig.pm'],
  // Databases and network clients
  ...['.netrc', '_netrc', '.authinfo', '.authinfo.gpg', '.pgpass', '.pg_service.conf', '.my.cnf', '.mylogin.cnf'],
  ...[
    '.mongorc.js',
    '.mongodb',
    '.dbshell',
    '.rediscli_auth',
    '.config/dbeaver',
    '.local/share/DBeaverData',
    '.sqlcmd',
  ],
  ...['.config/pgcli', '.config/mycli', '.cassandra', '.influxdbv2', '.curlrc', '.wgetrc', '.config/httpie'],
  ...['.config/lftp', '.lftp', '.fetchmailrc', '.msmtprc', '.config/msmtp', '.mbsyncrc', '.offlineimaprc', '.muttrc'],
  ...[
    '.config/mutt',
    '.config/neomutt',
    '.config/aerc',
    '.thunderbird',
    '.config/evolution',
    '.smbcredentials',
    '.rdesktop',
  ],
  ...['.config/remmina', '.local/share/remmina', '.vnc', '.config/wireguard', '.config/openvpn', '.cert', '.pki'],
  // Keyrings and password managers
  ...[
    '.local/share/keyrings',
    '.local/share/kwalletd',
    '.kde/share/apps/kwallet',
    '.config/op',
    '.op',
    '.config/1Password',
  ],
  ...['.config/Bitwarden', '.config/Bitwarden CLI', '.config/keepassxc', '.config/lastpass', '.local/share/lastpass'],
  ...[
    '.lastpass',
    '.authy',
    '.config/Authy Desktop',
    '.google_authenticator',
    '.config/yubico',
    '.electrum',
    '.bitcoin',
  ],
  ...['.ethereum', '.config/solana', '.monero', '.config/Exodus', '.near-credentials', '.foundry/keystores'],
  // Browsers and messengers
  ...['.mozilla', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/microsoft-edge'],
  ...['.config/vivaldi', '.config/opera', '.librewolf', '.waterfox', '.tor-browser', 'snap/firefox', 'snap/chromium'],
  ...[
    '.var/app/org.mozilla.firefox',
    '.var/app/com.google.Chrome',
    '.cache/mozilla',
    '.config/Slack',
    '.config/discord',
  ],
  ...[
    '.config/Signal',
    '.local/share/TelegramDesktop',
    '.config/Element',
    '.purple',
    '.weechat',
    '.irssi',
    '.config/zoomus.conf',
  ],
  // Models and agents
  ...[
    '.claude/.credentials.json',
    '.claude.json',
    '.codex/auth.json',
    '.gemini/oauth_creds.json',
    '.config/github-copilot',
  ],
  ...[
    '.cursor/auth.json',
    '.config/Cursor/User/globalStorage',
    '.config/Code/User/globalStorage',
    '.continue/config.json',
  ],
  ...[
    '.cache/huggingface/token',
    '.huggingface/token',
    '.kaggle',
    '.config/openai',
    '.openai',
    '.anthropic',
    '.config/anthropic',
  ],
  ...[
    '.config/io.datasette.llm',
    '.aider.conf.yml',
    '.wandb',
    '.config/wandb',
    '.comet.config',
    '.replicate',
    '.modal.toml',
  ],
  // Histories
  ...['.bash_history', '.zsh_history', '.zhistory', '.history', '.sh_history', '.local/share/fish/fish_history'],
  ...['.python_history', '.node_repl_history', '.irb_history', '.pry_history', '.psql_history', '.mysql_history'],
  ...['.sqlite_history', '.rediscli_history', '.mongo_history', '.lesshst', '.viminfo', '.wget-hsts'],
  ...['.local/share/nvim/shada', '.local/state/nvim/shada', '.local/share/recently-used.xbel'],
  // macOS
  ...['Library/Keychains', 'Library/Cookies', 'Library/Safari', 'Library/Messages', 'Library/Mail'],
  ...[
    'Library/Application Support/Google/Chrome',
    'Library/Application Support/Firefox',
    'Library/Application Support/Slack',
  ],
  ...['Library/Application Support/BraveSoftware', 'Library/Application Support/Microsoft Edge'],
  ...['Library/Application Support/Code/User/globalStorage', 'Library/Application Support/Bitwarden'],
];

/** Absolute paths. A directory stands for everything in it. */
export const SYSTEM_CREDENTIAL_PLACES: readonly string[] = [
  ...[
    '/etc/shadow',
    '/etc/shadow-',
    '/etc/gshadow',
    '/etc/gshadow-',
    '/etc/sudoers',
    '/etc/sudoers.d',
    '/etc/krb5.keytab',
  ],
  ...['/etc/ssh/ssh_host_rsa_key', '/etc/ssh/ssh_host_ecdsa_key', '/etc/ssh/ssh_host_ed25519_key', '/etc/ssl/private'],
  ...[
    '/etc/wireguard',
    '/etc/openvpn',
    '/etc/ppp/chap-secrets',
    '/etc/ppp/pap-secrets',
    '/etc/NetworkManager/system-connections',
  ],
  ...['/etc/kubernetes', '/etc/rancher', '/var/lib/kubelet', '/var/run/secrets', '/run/secrets', '/var/lib/docker'],
  ...['/etc/letsencrypt', '/etc/pki/tls/private', '/etc/mysql/debian.cnf', '/etc/docker/key.json'],
  ...['/etc/netplan', '/etc/wpa_supplicant', '/etc/ipsec.secrets', '/etc/security/opasswd', '/etc/master.passwd'],
  ...['/var/spool/cron', '/Library/Keychains', '/private/etc/master.passwd', '/var/db/dslocal'],
];
