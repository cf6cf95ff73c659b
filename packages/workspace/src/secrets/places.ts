import { branchesAt, type PlaceTree, toPlaceTree } from './run-files.ts';

/**
 * Where programs keep keys, tokens, passwords, mail and histories below the home, by the programs whose documentation
 * names the places. A directory stands for everything in it, `*` for any text within one name.
 */
const BELOW_HOME: Readonly<Record<string, string>> = {
  'jinn: variables of custom tools, memory, grants, snapshots of files': `
    .config/jinn/.env, .config/jinn/memory.db*, .config/jinn/state.db*
  `,
  'OpenSSH, GnuPG, pass, age, Keybase': `
    .age, .config/age, .config/keybase, .config/putty, .config/sigstore, .config/step, .config/yubico, .gnupg,
    .k5login, .keybase, .krb5, .local/share/gnupg, .local/share/keybase, .local/share/password-store, .minisign,
    .password-store, .pki, .putty, .rhosts, .shosts, .sigstore, .ssh, .step
  `,
  'Desktop keyrings and password managers': `
    *.kdbx, .1password, .authy, .bitwarden-ssh-agent.sock, .cache/keepassxc, .cache/rbw, .config/1Password,
    .config/authenticator, .config/Authy Desktop, .config/Bitwarden, .config/Bitwarden CLI, .config/dashlane,
    .config/Enpass, .config/gopass, .config/KeePass, .config/keepassxc, .config/lastpass, .config/lpass,
    .config/NordPass, .config/op, .config/ProtonPass, .config/rbw, .gnome2/keyrings, .google_authenticator,
    .kde/share/apps/kwallet, .lastpass, .local/share/Enpass, .local/share/gopass, .local/share/keyrings,
    .local/share/kwalletd, .local/share/lastpass, .local/share/lpass, .local/share/rbw, .lpass, .op,
    Library/Application Support/1Password, Library/Application Support/Bitwarden,
    Library/Group Containers/2BUA8C4S2C.com.1password, Library/Keychains
  `,
  'Command lines of clouds and hosting': `
    .acme.sh/account.conf, .aliyun, .appcenter-cli, .appstoreconnect, .aws, .aws-vault, .azure, .b2_account_info,
    .beam, .bigqueryrc, .bluemix, .boto, .ccloud, .cf, .civo.json, .cloudflared, .config/.wrangler, .config/algolia,
    .config/atlascli/config.toml, .config/b2, .config/beam, .config/bruno, .config/civo, .config/cloudflare,
    .config/coderv2/session, .config/configstore, .config/convex, .config/datadog, .config/doctl, .config/exoscale,
    .config/expo, .config/firebase, .config/fly, .config/gcloud, .config/hcloud, .config/heroku, .config/httpie,
    .config/ibmcloud, .config/insomnia, .config/leapp, .config/linode-cli, .config/modal, .config/nats/context,
    .config/neonctl, .config/netlify, .config/ngrok, .config/northflank, .config/oci, .config/okta, .config/openstack,
    .config/pagerduty, .config/paperspace, .config/planetscale, .config/Postman, .config/railway, .config/rclone,
    .config/render, .config/replicate, .config/runpod, .config/scw, .config/sentry, .config/sentry-cli,
    .config/serverless, .config/shopify, .config/shopify-cli-kit-nodejs, .config/snowflake, .config/stripe,
    .config/supabase, .config/tailscale, .config/turso, .config/twilio-cli, .config/upctl.yaml, .config/vercel,
    .config/vultr-cli.yaml, .config/xh/sessions, .confluent, .convex, .databrickscfg, .dbt/profiles.yml, .dog, .expo,
    .fastlane, .fly, .granted, .gsutil, .hasura, .heroku, .httpie, .lambda, .Leapp, .linode-cli,
    .local/share/com.vercel.cli, .local/share/heroku, .mc, .minio, .modal.toml, .neon/credentials.json, .netlify,
    .newman, .ngrok2, .now, .oci, .okta, .okta-aws-cli, .ovh.conf, .paperspace, .passwd-s3fs, .postman, .pulumi,
    .railway, .rclone.conf, .render, .replicate, .runpod, .s3cfg, .saml2aws, .sentryclirc, .serverless, .serverlessrc,
    .snowflake, .snowsql, .spacelift, .sprites, .supabase, .tccli, .twilio-cli, .upstash.json, .vast_api_key, .vercel,
    .vultr-cli.yaml, .wrangler
  `,
  'Containers, orchestration and infrastructure': `
    .akeyless, .ansible/vault, .ansible/vault_pass, .argocd, .boundary, .chef, .config/akeyless, .config/argocd,
    .config/containers/auth.json, .config/doppler, .config/helm, .config/infisical, .config/infracost, .config/k3d,
    .config/k9s/clusters, .config/openshift, .config/opentofu, .config/sops, .config/talos, .config/terraform,
    .config/vault, .conjurrc, .consul-token, .docker/config.json, .docker/contexts, .docker/machine, .docker/trust,
    .dockercfg, .doppler, .helm, .infisical, .k3d, .knife, .kube, .minikube, .nomad-token, .puppetlabs, .rancher,
    .summon, .talos, .teleport, .terraform.d/credentials.tfrc.json, .terraformrc, .tofurc, .tsh, .vagrant.d/data,
    .vagrant.d/insecure_private_key, .vault, .vault-pass.txt, .vault-token, .vault_pass, .vault_pass.txt, .waypoint
  `,
  'Code hosting and continuous integration': `
    .actrc, .arcrc, .authinfo, .authinfo.gpg, .buildkite, .bzr.log, .cache/git/credential, .circleci/cli.yml, .config/.jira,
    .config/act, .config/berg, .config/bitbucket, .config/buildkite, .config/codecov, .config/drone,
    .config/exercism/user.json, .config/fossil.db, .config/gh, .config/gh-copilot, .config/git-credential-oauth,
    .config/git/credentials, .config/GitHub Desktop, .config/gitkraken, .config/glab, .config/glab-cli, .config/hub,
    .config/jira, .config/lab, .config/linear, .config/snyk, .config/sonarlint, .config/sourcegraph, .config/tea,
    .cvspass, .fossil, .gcm, .gist, .git-credential-cache, .git-credentials, .gitcookies, .gitea, .gitkraken, .hgrc,
    .jenkins-cli, .jira.d, .netrc, .snyk, .sonar, .src-config.json, .subversion/auth, .travis, _netrc
  `,
  'Registries of packages': `
    .android/adbkey, .android/debug.keystore, .bundle/config, .bunfig.toml, .cabal/config, .cargo/credentials,
    .cargo/credentials.toml, .cloudsmith, .cocoapods, .composer/auth.json, .conan, .conan2/credentials.json,
    .conda/.condarc, .condarc, .config/anaconda, .config/attic, .config/cachix, .config/cargo-dist,
    .config/cloudsmith, .config/composer/auth.json, .config/coursier/credentials.properties,
    .config/dart/pub-credentials.json, .config/hatch, .config/hex, .config/jsr, .config/nix/nix.conf,
    .config/npm/npmrc, .config/NuGet/NuGet.Config, .config/pdm, .config/pip/pip.conf, .config/pnpm/rc,
    .config/pypoetry/auth.toml, .config/rubygems, .config/uv/credentials, .continuum, .cpan/CPAN/MyConfig.pm,
    .gem/credentials, .gradle/gradle.properties, .hackage, .hex/hex.config, .ivy2/.credentials, .jfrog,
    .julia/servers, .local/share/gem/credentials, .local/share/hatch/auth, .local/share/uv/credentials,
    .luarocks/config, .luarocks/upload_config.lua, .m2/settings-security.xml, .m2/settings.xml, .npmrc,
    .nuget/NuGet/NuGet.Config, .opam/opam-init/credentials, .pause, .pip/pip.conf, .pub-cache/credentials.json,
    .pypirc, .Renviron, .rubygems, .sbt/.credentials, .sbt/credentials, .stackage, .yarnrc, .yarnrc.yml
  `,
  Databases: `
    .arangosh, .cassandra, .clickhouse-client, .config/beekeeper-studio, .config/couchbase, .config/DataGrip,
    .config/dbeaver, .config/litecli, .config/mongodb, .config/mycli, .config/pgcli, .config/redisinsight,
    .config/tableplus, .config/usql, .dbshell, .duckdb/stored_secrets, .freetds.conf, .influxdbv2,
    .local/share/DBeaverData, .mongodb, .mongorc.js, .mongosh, .my.cnf, .myclirc, .mylogin.cnf, .neo4j, .odbc.ini,
    .pg_service.conf, .pgadmin, .pgpass, .postgresql, .rediscli_auth, .redisclirc, .sqlcmd, .usqlpass
  `,
  Browsers: `
    .cache/BraveSoftware, .cache/chromium, .cache/google-chrome, .cache/microsoft-edge, .cache/mozilla,
    .config/BraveSoftware, .config/chromium, .config/elinks, .config/epiphany, .config/falkon, .config/google-chrome,
    .config/google-chrome-beta, .config/google-chrome-unstable, .config/microsoft-edge, .config/microsoft-edge-beta,
    .config/microsoft-edge-dev, .config/mozilla, .config/opera, .config/opera-beta, .config/qutebrowser,
    .config/thorium, .config/ungoogled-chromium, .config/vivaldi, .config/vivaldi-snapshot, .config/yandex-browser,
    .dillo, .elinks, .floorp, .librewolf, .local/share/epiphany, .local/share/qutebrowser, .local/share/tor-browser,
    .local/share/torbrowser, .lynx_cookies, .mozilla, .surf, .thunderbird, .tor, .tor-browser,
    .var/app/app.zen_browser.zen, .var/app/com.bitwarden.desktop, .var/app/com.brave.Browser,
    .var/app/com.discordapp.Discord, .var/app/com.google.Chrome, .var/app/com.microsoft.Edge,
    .var/app/com.onepassword.OnePassword, .var/app/com.slack.Slack, .var/app/io.gitlab.librewolf-community,
    .var/app/org.chromium.Chromium, .var/app/org.keepassxc.KeePassXC, .var/app/org.mozilla.firefox,
    .var/app/org.mozilla.Thunderbird, .var/app/org.signal.Signal, .var/app/org.telegram.desktop, .w3m, .waterfox,
    .wget-hsts, .zen, Library/Application Support/Arc, Library/Application Support/BraveSoftware,
    Library/Application Support/Firefox, Library/Application Support/Google/Chrome,
    Library/Application Support/Microsoft Edge, Library/Application Support/Vivaldi, Library/Cookies,
    Library/HTTPStorages, Library/Safari, snap/bitwarden, snap/brave, snap/chromium, snap/discord, snap/firefox,
    snap/microsoft-edge, snap/opera, snap/signal-desktop, snap/slack, snap/telegram-desktop, snap/thunderbird,
    snap/vivaldi
  `,
  'Mail and chat': `
    .alpine, .claws-mail, .config/aerc, .config/discord, .config/discordcanary, .config/Element, .config/evolution,
    .config/geary, .config/getmail, .config/gomuks, .config/hexchat, .config/himalaya, .config/isyncrc,
    .config/kmail2rc, .config/Mailspring, .config/Mattermost, .config/Microsoft/Microsoft Teams, .config/msmtp,
    .config/mutt, .config/neomutt, .config/notmuch, .config/offlineimap, .config/protonmail, .config/Riot,
    .config/Rocket.Chat, .config/Signal, .config/skypeforlinux, .config/Slack, .config/teams, .config/teams-for-linux,
    .config/TelegramDesktop, .config/weechat, .config/whatsapp-desktop, .config/Wire, .config/zoomus.conf,
    .config/Zulip, .fetchmailrc, .getmail, .irssi, .local/share/akonadi, .local/share/evolution, .local/share/geary,
    .local/share/mail, .local/share/signal-cli, .local/share/TelegramDesktop, .mail, .maildir, .mbsyncrc, .msmtprc,
    .mutt, .muttrc, .neomuttrc, .notmuch-config, .offlineimaprc, .pinerc, .purple, .weechat, .zoom,
    Library/Application Support/Signal, Library/Application Support/Slack, Library/Mail, Library/Messages, Mail,
    Maildir
  `,
  'Histories of shells and consoles': `
    .bash_history, .bash_sessions, .cache/zsh/history, .clickhouse-client-history, .cling_history, .config/atuin,
    .config/elvish, .config/fish/fish_history, .config/fish/fish_variables, .config/nushell/history.sqlite3,
    .config/nushell/history.txt, .config/psysh, .cqlsh_history, .csh_history, .duckdb_history, .erlang-history,
    .gdb_history, .ghc/ghci_history, .groovy, .histfile, .history, .hushhistory, .iex_history,
    .ipython/profile_default/history.sqlite, .irb_history, .jshell, .julia/logs, .jupyter/jupyter_server_config.json,
    .ksh_history, .lesshst, .local/share/atuin, .local/share/autojump, .local/share/bash, .local/share/fish,
    .local/share/jupyter/runtime, .local/share/mcfly, .local/share/nushell, .local/share/nvim/shada,
    .local/share/powershell/PSReadLine, .local/share/pry, .local/share/recently-used.xbel, .local/share/xonsh,
    .local/share/zoxide, .local/share/zsh, .local/state/bash, .local/state/elvish, .local/state/irb,
    .local/state/less, .local/state/nvim/shada, .local/state/zsh, .lua_history, .mksh_history, .mongo_history,
    .mysql_history, .node_repl_history, .php_history, .pry_history, .psql_history, .python_history, .rediscli_history,
    .Rhistory, .scala_history, .script_history, .sh_history, .sqlite_history, .tcsh_history, .units_history, .viminfo,
    .wget_history, .xsession-errors, .z, .zhistory, .zsh_history, .zsh_sessions
  `,
  Editors: `
    .codeium, .config/Antigravity/User/globalStorage, .config/Code - Insiders/User/globalStorage,
    .config/Code/Cookies, .config/Code/Local Storage, .config/Code/User/globalStorage, .config/Code/User/History,
    .config/Cursor/Cookies, .config/Cursor/Local Storage, .config/Cursor/User/globalStorage,
    .config/emacs/auth-source, .config/github-copilot, .config/JetBrains/*/c.kdbx, .config/JetBrains/*/c.pwd,
    .config/nvim/.netrwhist, .config/sublime-text/Local, .config/Trae, .config/VSCodium/User/globalStorage,
    .config/wakatime, .config/Windsurf/User/globalStorage, .config/zed/credentials, .emacs.d/auth-source,
    .emacs.d/tramp, .local/share/JetBrains/consentOptions, .local/share/zed/db, .tabnine, .vim/.netrwhist,
    .vscode-cli, .vscode-server/data/User/globalStorage, .vscode/cli, .wakatime.cfg,
    Library/Application Support/Code/User/globalStorage
  `,
  'Coding agents, models and notebooks': `
    .aider.conf.yml, .amazonq, .anthropic, .cache/huggingface/stored_tokens, .cache/huggingface/token, .claude.json,
    .claude/.credentials.json, .claude/history.jsonl, .claude/projects, .cline, .codex/auth.json,
    .codex/history.jsonl, .codex/sessions, .comet.config, .cometml.config, .config/aichat, .config/amp,
    .config/anthropic, .config/clai, .config/claude, .config/crush, .config/cursor/auth.json,
    .config/cursor/cli-config.json, .config/elevenlabs, .config/fabric, .config/goose, .config/gptme,
    .config/huggingface, .config/io.datasette.llm, .config/kaggle, .config/manicode/credentials.json, .config/mods,
    .config/openai, .config/openrouter, .config/shell_gpt, .config/wandb, .continue, .copilot/config.json,
    .cursor/auth.json, .cursor/cli-config.json, .cursor/mcp.json, .factory, .gemini, .grok, .groq, .huggingface/token,
    .kaggle, .kimi, .llm, .local/share/amazon-q, .local/share/amp, .local/share/crush, .local/share/goose,
    .local/share/kilo, .local/share/mods, .local/share/opencode, .mcp-auth, .mistral, .mlflow, .n8n, .neptune,
    .netrc.wandb, .ollama/history, .ollama/id_ed25519, .openai, .perplexity, .qwen/oauth_creds.json, .roo, .wandb
  `,
  'Wallets of crypto currencies': `
    .ape/accounts, .aptos, .armory, .bitcoin, .bitmonero, .brownie/accounts, .cardano, .coinomi, .config/@trezor,
    .config/atomic, .config/Exodus, .config/Guarda, .config/io.parity.ethereum, .config/Ledger Live, .config/solana,
    .config/Trezor, .dash, .dogecoin, .electron-cash, .electrum, .electrum-ltc, .ethereum, .foundry/keystores, .gaia,
    .lightning, .litecoin, .lnd, .monero, .multibit, .mymonero, .near-credentials, .osmosisd, .sparrow,
    .starknet_accounts, .sui, .terra, .tezos-client, .ton, .walletwasabi, .zcash, Monero/wallets
  `,
  'Networks, remote desktops and file transfer': `
    .anydesk, .aria2, .cert, .cifs-credentials, .cisco, .config/AnyDesk, .config/borg, .config/borgmatic,
    .config/curlrc, .config/deluge, .config/duplicacy, .config/expressvpn, .config/filezilla, .config/forticlient,
    .config/freerdp, .config/kdeconnect, .config/kopia, .config/lftp, .config/megasync, .config/mullvad,
    .config/NetworkManager, .config/nextcloud, .config/nordvpn, .config/openvpn, .config/openvpn3, .config/ownCloud,
    .config/protonvpn, .config/remmina, .config/restic, .config/rustdesk, .config/syncthing, .config/teamviewer,
    .config/tigervnc, .config/transmission, .config/wireguard, .cups, .curlrc, .davfs2, .dropbox, .duplicacy,
    .filezilla, .ICEauthority, .lftp, .lftprc, .local/share/data/Mega Limited, .local/share/lftp/bookmarks,
    .local/share/remmina, .local/state/syncthing, .ncftp, .openvpn, .rdesktop, .restic-password, .smbcredentials,
    .vnc, .wgetrc, .wireguard, .x2goclient, .Xauthority, .zerotier-one
  `,
  'Social accounts, games and the rest': `
    .api_keys, .apikeys, .config/credentials, .config/goa-1.0, .config/heroic, .config/joplin, .config/joplin-desktop,
    .config/khal, .config/lastfm, .config/libaccounts-glib, .config/lutris, .config/ncspot, .config/notion,
    .config/obs-studio, .config/obsidian, .config/secrets, .config/simplenote, .config/spotify, .config/spotify-tui,
    .config/standardnotes, .config/todoist, .config/toot, .config/vdirsyncer, .config/youtube-dl, .credentials,
    .erlang.cookie, .local/share/PrismLauncher/accounts.json, .local/share/Steam/config,
    .minecraft/launcher_accounts.json, .private, .secret, .secrets, .steam/steam/config, .task, .taskrc, .tokens,
    .vdirsyncer
  `,
};

/** Outside of any home. Most can be read by root only. */
const OF_SYSTEM = `
  /etc/borg, /etc/cloudflared, /etc/docker/key.json, /etc/gshadow, /etc/gshadow-, /etc/ipsec.secrets,
  /etc/krb5.keytab, /etc/kubernetes, /etc/letsencrypt, /etc/master.passwd, /etc/mysql/debian.cnf, /etc/netplan,
  /etc/NetworkManager/system-connections, /etc/openvpn, /etc/pki/tls/private, /etc/ppp/chap-secrets,
  /etc/ppp/pap-secrets, /etc/rancher, /etc/restic, /etc/security/opasswd, /etc/shadow, /etc/shadow-,
  /etc/ssh/ssh_host_ecdsa_key, /etc/ssh/ssh_host_ed25519_key, /etc/ssh/ssh_host_rsa_key, /etc/ssl/private,
  /etc/sudoers, /etc/sudoers.d, /etc/wireguard, /etc/wpa_supplicant, /Library/Keychains, /private/etc/master.passwd,
  /run/secrets, /var/backups, /var/db/dslocal, /var/lib/bluetooth, /var/lib/docker, /var/lib/iwd, /var/lib/kubelet,
  /var/lib/NetworkManager, /var/lib/rancher, /var/lib/tailscale, /var/log/auth.log, /var/log/secure, /var/mail,
  /var/run/secrets, /var/spool/cron, /var/spool/mail
`;

export const HOME_PLACES: readonly string[] = Object.values(BELOW_HOME).flatMap(toList);

/** As absolute paths. */
export const SYSTEM_PLACES: readonly string[] = toList(OF_SYSTEM);

let home: PlaceTree | undefined;
let system: PlaceTree | undefined;

export function homePlaces(): PlaceTree {
  home ??= toPlaceTree(HOME_PLACES);
  return home;
}

export function systemPlaces(): PlaceTree {
  system ??= toPlaceTree(SYSTEM_PLACES.map((place) => place.slice(1)));
  return system;
}

function toList(text: string): string[] {
  return text.trim().split(/,\s+/);
}

/** Variables that name a directory which is otherwise below the home. What is secret in it there is secret here. */
const MOVED: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: '.config',
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
  ANDROID_USER_HOME: '.android',
  ANSIBLE_HOME: '.ansible',
  BUNDLE_USER_HOME: '.bundle',
  CABAL_DIR: '.cabal',
  CARGO_HOME: '.cargo',
  CLAUDE_CONFIG_DIR: '.claude',
  CODEX_HOME: '.codex',
  COMPOSER_HOME: '.composer',
  CURL_HOME: '',
  DOCKER_CONFIG: '.docker',
  DOTNET_CLI_HOME: '',
  GRADLE_USER_HOME: '.gradle',
  HF_HOME: '.cache/huggingface',
  IPYTHONDIR: '.ipython',
  OLLAMA_HOME: '.ollama',
  PUB_CACHE: '.pub-cache',
  TF_CONFIG_DIR: '.terraform.d',
  VAGRANT_HOME: '.vagrant.d',
  ZDOTDIR: '',
};

/** Variables that name secret files or directories. Several with colons between them. */
const WHOLE = `
  ANSIBLE_VAULT_PASSWORD_FILE, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE, AWS_WEB_IDENTITY_TOKEN_FILE, AZURE_CONFIG_DIR,
  BORG_KEYS_DIR, BORG_KEY_FILE, BOTO_CONFIG, CLOUDSDK_CONFIG, CONSUL_HTTP_TOKEN_FILE, DATABRICKS_CONFIG_FILE, DOCKER_CERT_PATH,
  DOPPLER_CONFIG_DIR, FLY_CONFIG_DIR, GCM_CREDENTIAL_STORE_PATH, GH_CONFIG_DIR, GLAB_CONFIG_DIR, GNUPGHOME,
  GOOGLE_APPLICATION_CREDENTIALS, HCLOUD_CONFIG, HF_TOKEN_PATH, HISTFILE, ICEAUTHORITY, KAGGLE_CONFIG_DIR, KRB5CCNAME, KRB5_CLIENT_KTNAME,
  KRB5_KTNAME, KUBECONFIG, LESSHISTFILE, LPASS_HOME, MAIL, MINIKUBE_HOME, MYSQL_HISTFILE, NETRC, NGROK_CONFIG,
  NODE_REPL_HISTORY, NPM_CONFIG_USERCONFIG, OCI_CLI_CONFIG_FILE, OP_CONFIG_DIR, OS_CLIENT_CONFIG_FILE, PASSWORD_STORE_DIR,
  PGPASSFILE, PGSERVICEFILE, PGSSLKEY, PIP_CONFIG_FILE, PSQL_HISTORY, PULUMI_HOME, PYTHON_HISTORY, RCLONE_CONFIG,
  REDISCLI_HISTFILE, RESTIC_PASSWORD_FILE, SNOWFLAKE_HOME, SOPS_AGE_KEY_FILE, SQLITE_HISTORY, STEPPATH, TALOSCONFIG,
  TF_CLI_CONFIG_FILE, VAULT_TOKEN_FILE, WANDB_CONFIG_DIR, WGETRC, XAUTHORITY, npm_config_userconfig
`
  .trim()
  .split(/,\s+/);

export interface VariablePlaces {
  readonly whole: readonly string[];
  readonly moved: readonly { readonly directory: string; readonly tree: PlaceTree }[];
}

/** Finds the secret places that the variables of an environment name. */
export function variablePlaces(environment: Readonly<Record<string, string | undefined>>): VariablePlaces {
  const whole = WHOLE.flatMap((name) => (environment[name] ?? '').split(':')).filter(isPath);
  const moved = Object.entries(MOVED).flatMap(([name, place]) => {
    const directory = environment[name] ?? '';
    return isPath(directory) ? treesAt(place).map((tree) => ({ directory, tree })) : [];
  });
  const claude = environment['CLAUDE_CONFIG_DIR'] ?? '';
  return { whole: isPath(claude) ? [...whole, `${claude}/.claude.json`] : whole, moved };
}

function treesAt(place: string): PlaceTree[] {
  const names = place.split('/').filter(Boolean);
  return names.reduce((at, name) => at.flatMap((tree) => branchesAt(tree, name)), [homePlaces()]);
}

function isPath(value: string): boolean {
  return /^\/+[^/]/.test(value);
}

/**
 * Files with keys and passwords in any directory, as regular expressions for the end of a path. Commands that read them
 * are dangerous. The file tools open them in a workspace.
 */
const KEYS: Readonly<Record<string, string>> = {
  OpenSSH: 'id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)',
  'stores of keys and passwords': String.raw`[^/]+\.(p12|pfx|jks|keystore|kdbx)`,
  'PuTTY, and OpenVPN, which takes keys into its settings': String.raw`[^/]+\.(ppk|ovpn)`,
  'keys by their names': String.raw`[^/]*(priv(ate)?|secret)[-_.]?key[^/]*\.(pem|key|der|asc)`,
  'Google Cloud': String.raw`service[-_]account[^/]*\.json|credentials\.json|client_secret[^/]*\.json`,
};
export const KEY_FILES = Object.values(KEYS).join('|');

const MAYBE: Readonly<Record<string, string>> = {
  'settings that take tokens': String.raw`\.(curlrc|dockercfg|htpasswd|npmrc|wgetrc|yarnrc|yarnrc\.yml)`,
  // Without a directory `item.key` is mostly code, as in `grep -A 3 item.key`.
  'a key, a translation or slides': String.raw`[^/]+/[^/]+\.key|[^/]*(ca|cert|client|host|server|ssl|tls)\.key`,
};
export const MAY_HOLD_SECRETS = Object.values(MAYBE).join('|');

/** Files next to keys that are there to be given away. */
export const PUBLIC_FILES = String.raw`\.ssh/(authorized_keys|known_hosts[^/]*|[^/]*\.pub)`;
/** A file next to keys that holds none, but names hosts, users and keys. */
export const SSH_SETTINGS = String.raw`\.ssh/config`;

/** Memory and environments of processes, from the root. */
export const PROCESS_FILES = '/proc/[^/]+/(task/[^/]+/)?(environ|mem)|/proc/kcore|/dev/k?mem';

/** Places below the home that are known without it, since nothing else has these names. A slash ends a directory. */
export const DISTINCT_PLACES: readonly string[] = `
  .aws/, .azure/, .cargo/credentials, .cargo/credentials.toml, .config/gcloud/, .config/gh/, .docker/config.json,
  .git-credentials, .gnupg/, .kube/, .my.cnf, .netrc, .password-store/, .pgpass, .pypirc, .ssh/, .vault-token
`
  .trim()
  .split(/,\s+/);
