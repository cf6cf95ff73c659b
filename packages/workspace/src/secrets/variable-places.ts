import { branchesAt, type PlaceTree } from './place-tree.ts';
import { homePlaces } from './places.ts';

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

/** Variables that name secret files or directories; several with colons between them. */
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
