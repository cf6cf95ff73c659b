/** Places of secrets that one kind of program keeps. */
interface SecretGroup {
  /** The programs whose documentation names the places. */
  readonly source: string;
  /** Below the home; `*` stands for any one name. */
  readonly paths: readonly string[];
}

/** Where programs keep keys, tokens, passwords, mail and histories below the home: the one list of them. */
export const SECRET_GROUPS: readonly SecretGroup[] = [
  group(
    'OpenSSH, GnuPG, pass, age, Keybase',
    `
      .ssh, .gnupg, .local/share/gnupg, .password-store, .local/share/password-store, .config/age, .age, .keybase,
      .config/keybase, .local/share/keybase, .pki, .config/sigstore, .sigstore, .step, .config/step, .minisign,
      .putty, .config/putty, .shosts, .rhosts, .k5login, .krb5
    `,
  ),
  group(
    'Desktop keyrings and password managers',
    `
      .local/share/keyrings, .local/share/kwalletd, .kde/share/apps/kwallet, .gnome2/keyrings, .config/op, .op,
      .1password, .config/1Password, .config/Bitwarden, .config/Bitwarden CLI, .bitwarden-ssh-agent.sock,
      .config/rbw, .local/share/rbw, .cache/rbw, .lpass, .config/lpass, .local/share/lpass, .config/keepassxc,
      .cache/keepassxc, .config/KeePass, .config/dashlane, .config/NordPass, .config/Enpass, .local/share/Enpass,
      .config/ProtonPass, .local/share/gopass, .config/gopass, .authy, .config/Authy Desktop, .google_authenticator,
      .config/authenticator, Library/Keychains, Library/Application Support/1Password,
      Library/Application Support/Bitwarden, Library/Group Containers/2BUA8C4S2C.com.1password
    `,
  ),
  group(
    'Command lines of clouds and hosting',
    `
      .aws, .azure, .config/gcloud, .config/doctl, .oci, .config/oci, .bluemix, .aliyun, .tccli, .config/hcloud,
      .config/linode-cli, .linode-cli, .config/scw, .vultr-cli.yaml, .config/exoscale, .config/upctl.yaml,
      .civo.json, .config/civo, .ovh.conf, .config/openstack, .s3cfg, .boto, .gsutil, .config/rclone, .rclone.conf,
      .mc, .minio, .config/b2, .b2_account_info, .passwd-s3fs, .config/stripe, .pulumi, .fly, .config/fly,
      .config/heroku, .local/share/heroku, .heroku, .config/netlify, .netlify, .vercel, .config/vercel,
      .local/share/com.vercel.cli, .now, .config/.wrangler, .wrangler, .cloudflared, .config/cloudflare, .railway,
      .config/railway, .render, .config/render, .config/supabase, .supabase, .config/neonctl, .config/planetscale,
      .config/configstore, .config/firebase, .config/serverless, .serverlessrc, .serverless, .config/shopify,
      .config/twilio-cli, .twilio-cli, .config/sentry, .sentryclirc, .config/datadog, .dog, .config/pagerduty,
      .config/okta, .okta, .okta-aws-cli, .saml2aws, .aws-vault, .granted, .config/leapp, .Leapp, .cf,
      .config/ibmcloud, .databrickscfg, .snowsql, .snowflake, .config/snowflake, .dbt/profiles.yml, .bigqueryrc,
      .confluent, .ccloud, .config/algolia, .config/ngrok, .ngrok2, .config/tailscale, .config/Postman, .postman,
      .config/insomnia, .newman, .config/httpie, .httpie, .config/bruno, .hasura, .config/convex, .convex,
      .config/turso, .config/expo, .expo, .appcenter-cli, .appstoreconnect, .fastlane, .config/modal, .modal.toml,
      .config/runpod, .runpod, .vast_api_key, .config/paperspace, .paperspace, .lambda, .config/replicate,
      .config/beam, .beam, .config/northflank, .sprites
    `,
  ),
  group(
    'Containers, orchestration and infrastructure',
    `
      .kube, .minikube, .k3d, .config/k3d, .docker/config.json, .docker/contexts, .docker/trust, .dockercfg,
      .config/containers/auth.json, .config/helm, .helm, .config/argocd, .argocd, .rancher, .vagrant.d/data,
      .terraformrc, .terraform.d/credentials.tfrc.json, .config/terraform, .tofurc, .config/opentofu, .vault-token,
      .vault, .config/vault, .chef, .knife, .puppetlabs, .ansible/vault, .vault_pass, .vault_pass.txt, .consul-token,
      .nomad-token, .waypoint, .config/sops, .talos, .config/talos, .teleport, .tsh, .boundary, .config/infracost,
      .doppler, .config/doppler, .infisical, .config/infisical, .config/akeyless, .akeyless, .conjurrc, .summon
    `,
  ),
  group(
    'Code hosting and continuous integration',
    `
      .git-credentials, .config/git/credentials, .git-credential-cache, .cache/git/credential, .gitcookies,
      .config/gh, .config/hub, .config/glab-cli, .config/glab, .config/tea, .config/berg, .config/lab,
      .config/gh-copilot, .subversion/auth, .fossil, .config/fossil.db, .bzr.log, .arcrc, .gitea, .netrc, _netrc,
      .authinfo, .authinfo.gpg, .circleci, .travis, .config/drone, .buildkite, .config/buildkite, .jenkins-cli,
      .config/act, .actrc, .config/codecov, .snyk, .config/snyk, .sonar, .config/sonarlint, .jira.d, .config/.jira,
      .config/linear, .config/git-credential-oauth, .gcm, .config/gitkraken, .gitkraken, .config/GitHub Desktop,
      .config/sourcegraph, .src-config.json
    `,
  ),
  group(
    'Registries of packages',
    `
      .npmrc, .config/npm/npmrc, .yarnrc.yml, .config/pnpm/rc, .pypirc, .config/pip/pip.conf, .pip/pip.conf,
      .config/pypoetry/auth.toml, .config/pdm, .config/uv/credentials, .local/share/uv/credentials, .config/hatch,
      .local/share/hatch/auth, .config/anaconda, .continuum, .cargo/credentials, .cargo/credentials.toml,
      .gem/credentials, .local/share/gem/credentials, .bundle/config, .composer/auth.json,
      .config/composer/auth.json, .m2/settings.xml, .m2/settings-security.xml, .gradle/gradle.properties,
      .ivy2/.credentials, .sbt/.credentials, .sbt/credentials, .config/coursier/credentials.properties,
      .nuget/NuGet/NuGet.Config, .config/NuGet/NuGet.Config, .hex/hex.config, .config/hex,
      .pub-cache/credentials.json, .config/dart/pub-credentials.json, .config/jsr, .bunfig.toml, .config/cargo-dist,
      .conan, .conan2/credentials.json, .jfrog, .config/cloudsmith, .cloudsmith, .rubygems, .cpan/CPAN/MyConfig.pm,
      .pause, .Renviron, .cocoapods, .stackage, .hackage
    `,
  ),
  group(
    'Databases',
    `
      .pgpass, .pg_service.conf, .postgresql, .my.cnf, .mylogin.cnf, .mongorc.js, .mongodb, .mongosh,
      .config/mongodb, .rediscli_auth, .redisclirc, .cassandra, .influxdbv2, .clickhouse-client, .config/usql,
      .usqlpass, .dbshell, .config/beekeeper-studio, .local/share/DBeaverData, .config/mycli, .myclirc,
      .config/pgcli, .config/litecli, .config/DataGrip, .odbc.ini, .freetds.conf, .config/tableplus,
      .config/redisinsight, .config/couchbase, .neo4j, .arangosh
    `,
  ),
  group(
    'Browsers',
    `
      .mozilla, .librewolf, .waterfox, .zen, .floorp, .config/mozilla, .thunderbird, .cache/mozilla,
      .config/google-chrome, .config/google-chrome-beta, .config/google-chrome-unstable, .config/chromium,
      .config/BraveSoftware, .config/microsoft-edge, .config/microsoft-edge-beta, .config/microsoft-edge-dev,
      .config/vivaldi, .config/vivaldi-snapshot, .config/opera, .config/opera-beta, .config/yandex-browser,
      .config/thorium, .config/ungoogled-chromium, .config/qutebrowser, .local/share/qutebrowser, .config/falkon,
      .config/epiphany, .local/share/epiphany, .local/share/torbrowser, .tor, .w3m, .local/share/tor-browser,
      .cache/google-chrome, .cache/chromium, .cache/BraveSoftware, .cache/microsoft-edge, .lynx_cookies, .elinks,
      .config/elinks, .dillo, .surf, .wget-hsts, snap/firefox, snap/chromium, snap/brave, snap/opera,
      snap/thunderbird, snap/bitwarden, snap/microsoft-edge, snap/vivaldi, snap/slack, snap/discord,
      snap/telegram-desktop, snap/signal-desktop, .var/app/org.mozilla.firefox, .var/app/com.google.Chrome,
      .var/app/com.brave.Browser, .var/app/com.microsoft.Edge, .var/app/org.chromium.Chromium,
      .var/app/io.gitlab.librewolf-community, .var/app/org.mozilla.Thunderbird, .var/app/com.bitwarden.desktop,
      .var/app/org.signal.Signal, .var/app/org.telegram.desktop, .var/app/com.discordapp.Discord,
      .var/app/com.slack.Slack, .var/app/org.keepassxc.KeePassXC, .var/app/com.onepassword.OnePassword,
      .var/app/app.zen_browser.zen, Library/Application Support/Google/Chrome, Library/Application Support/Firefox,
      Library/Safari, Library/Application Support/BraveSoftware, Library/Application Support/Microsoft Edge,
      Library/Cookies, Library/Application Support/Arc, Library/Application Support/Vivaldi, Library/HTTPStorages
    `,
  ),
  group(
    'Mail and chat',
    `
      Mail, mail, Maildir, .mail, .maildir, .local/share/mail, .mbsyncrc, .config/isyncrc, .offlineimaprc,
      .config/offlineimap, .msmtprc, .config/msmtp, .muttrc, .mutt, .config/mutt, .config/neomutt, .neomuttrc,
      .fetchmailrc, .getmail, .config/getmail, .notmuch-config, .config/notmuch, .config/aerc, .config/himalaya,
      .config/evolution, .local/share/evolution, .config/geary, .local/share/geary, .local/share/akonadi,
      .config/kmail2rc, .config/Mailspring, .config/protonmail, .claws-mail, .alpine, .pinerc, .config/Slack,
      .config/discord, .config/discordcanary, .config/Signal, .config/TelegramDesktop, .local/share/TelegramDesktop,
      .config/Element, .config/Riot, .config/Microsoft/Microsoft Teams, .config/teams, .config/teams-for-linux,
      .config/skypeforlinux, .zoom, .config/zoomus.conf, .purple, .config/whatsapp-desktop, .weechat,
      .config/weechat, .irssi, .config/hexchat, .config/Mattermost, .config/Rocket.Chat, .config/gomuks,
      .local/share/signal-cli, .config/Wire, .config/Keybase, .config/Zulip, Library/Mail, Library/Messages,
      Library/Application Support/Slack, Library/Application Support/Signal
    `,
  ),
  group(
    'Histories of shells and consoles',
    `
      .bash_history, .bash_sessions, .zsh_history, .zhistory, .histfile, .zsh_sessions, .history, .sh_history,
      .ksh_history, .mksh_history, .tcsh_history, .csh_history, .local/share/fish, .config/fish/fish_variables,
      .config/fish/fish_history, .local/share/atuin, .config/atuin, .local/share/mcfly, .config/nushell/history.txt,
      .config/nushell/history.sqlite3, .local/share/nushell, .local/share/powershell/PSReadLine, .local/share/xonsh,
      .local/state/bash, .local/state/zsh, .local/share/zsh, .local/share/bash, .config/elvish, .local/state/elvish,
      .python_history, .ipython/profile_default/history.sqlite, .jupyter/jupyter_server_config.json,
      .local/share/jupyter/runtime, .node_repl_history, .psql_history, .mysql_history, .sqlite_history,
      .mongo_history, .rediscli_history, .irb_history, .pry_history, .local/share/pry, .local/state/irb, .Rhistory,
      .julia/logs, .ghc/ghci_history, .scala_history, .php_history, .config/psysh, .lua_history, .erlang-history,
      .iex_history, .jshell, .groovy, .lesshst, .viminfo, .local/state/less, .local/share/nvim/shada,
      .local/state/nvim/shada, .wget_history, .gdb_history, .units_history, .xsession-errors,
      .local/share/recently-used.xbel, .local/share/zoxide, .local/share/autojump, .z, .script_history, .hushhistory,
      .cling_history, .duckdb_history, .clickhouse-client-history, .cqlsh_history
    `,
  ),
  group(
    'Editors',
    `
      .config/Code/User/globalStorage, .config/Code/Local Storage, .config/Code/Cookies, .config/Code/User/History,
      .config/Code - Insiders/User/globalStorage, .config/VSCodium/User/globalStorage,
      .config/Cursor/User/globalStorage, .config/Cursor/Local Storage, .config/Cursor/Cookies,
      .config/Windsurf/User/globalStorage, .config/Trae, .config/Antigravity/User/globalStorage,
      .config/JetBrains/*/c.kdbx, .config/JetBrains/*/c.pwd, .local/share/JetBrains/consentOptions,
      .config/zed/credentials, .local/share/zed/db, .config/sublime-text/Local, .emacs.d/auth-source, .emacs.d/tramp,
      .config/emacs/auth-source, .vim/.netrwhist, .vscode-cli, .vscode/cli, .vscode-server/data/User/globalStorage,
      .config/nvim/.netrwhist, .config/github-copilot, .codeium, .tabnine, .wakatime.cfg, .config/wakatime,
      Library/Application Support/Code/User/globalStorage
    `,
  ),
  group(
    'Coding agents, models and notebooks',
    `
      .claude/.credentials.json, .claude.json, .claude/history.jsonl, .claude/projects, .config/claude,
      .config/Claude, .codex/auth.json, .codex/sessions, .codex/history.jsonl, .gemini, .qwen/oauth_creds.json,
      .cursor/mcp.json, .cursor/cli-config.json, .config/cursor, .local/share/opencode, .config/goose,
      .aider.conf.yml, .local/share/goose, .continue, .config/amp, .local/share/amp, .factory, .config/crush,
      .local/share/crush, .local/share/kilo, .cline, .roo, .config/openai, .openai, .config/anthropic, .anthropic,
      .mistral, .cache/huggingface/token, .cache/huggingface/stored_tokens, .huggingface/token, .config/huggingface,
      .kaggle, .config/kaggle, .config/wandb, .netrc.wandb, .cometml.config, .comet.config, .neptune, .mlflow,
      .ollama/id_ed25519, .ollama/history, .llm, .config/io.datasette.llm, .config/gptme, .config/shell_gpt,
      .config/fabric, .config/aichat, .config/mods, .local/share/mods, .config/openrouter, .grok, .kimi, .amazonq,
      .aws/amazonq, .local/share/amazon-q, .config/clai, .perplexity, .groq, .config/elevenlabs, .mcp-auth, .n8n
    `,
  ),
  group(
    'Wallets of crypto currencies',
    `
      .bitcoin, .litecoin, .dogecoin, .dash, .zcash, .monero, .bitmonero, Monero/wallets, .electrum, .electrum-ltc,
      .electron-cash, .ethereum, .config/Exodus, .config/atomic, .config/Ledger Live, .walletwasabi, .sparrow,
      .config/solana, .near-credentials, .sui, .aptos, .config/io.parity.ethereum, .foundry/keystores,
      .brownie/accounts, .ape/accounts, .terra, .gaia, .osmosisd, .cardano, .tezos-client, .lnd, .lightning,
      .config/Trezor, .config/@trezor, .config/Guarda, .multibit, .armory, .coinomi, .mymonero, .ton,
      .starknet_accounts
    `,
  ),
  group(
    'Networks, remote desktops and file transfer',
    `
      .config/NetworkManager, .config/openvpn3, .openvpn, .config/wireguard, .wireguard, .config/mullvad,
      .config/protonvpn, .config/nordvpn, .config/expressvpn, .cisco, .config/forticlient, .config/remmina,
      .local/share/remmina, .vnc, .config/tigervnc, .config/freerdp, .config/AnyDesk, .anydesk, .config/teamviewer,
      .config/rustdesk, .x2goclient, .config/filezilla, .filezilla, .lftprc, .lftp, .config/lftp, .ncftp, .davfs2,
      .smbcredentials, .cifs-credentials, .config/nextcloud, .config/Nextcloud, .config/ownCloud, .dropbox,
      .config/syncthing, .local/state/syncthing, .config/megasync, .local/share/data/Mega Limited, .zerotier-one,
      .config/borg, .config/restic, .restic-password, .config/duplicacy, .duplicacy, .config/kopia,
      .config/borgmatic, .config/transmission, .config/deluge, .aria2, .cups, .Xauthority, .ICEauthority,
      .config/kdeconnect
    `,
  ),
  group(
    'Social accounts, games and the rest',
    `
      .config/toot, .config/spotify, .config/spotify-tui, .config/ncspot, .config/lastfm, .config/youtube-dl,
      .steam/steam/config, .local/share/Steam/config, .minecraft/launcher_accounts.json, .config/lutris,
      .config/heroic, .local/share/PrismLauncher/accounts.json, .config/obs-studio, .config/goa-1.0,
      .config/libaccounts-glib, .config/khal, .config/vdirsyncer, .vdirsyncer, .config/todoist, .config/notion,
      .config/Notion, .task, .taskrc, .config/joplin, .config/Joplin, .config/joplin-desktop, .config/standardnotes,
      .config/simplenote, .config/obsidian, .secrets, .secret, .credentials, .config/credentials, .tokens, .apikeys,
      .api_keys, .config/secrets, .private
    `,
  ),
];

function group(source: string, list: string): SecretGroup {
  return { source, paths: list.trim().split(/,\s+/) };
}
