import type { RiskRule, ValueOptions } from '../rule.ts';

/** Programs that reach other machines, containers, clouds and databases. */
export const REMOTE: readonly RiskRule[] = [
  { verb: 'curl wget http https xh aria2c', risk: 'caution', reason: 'reaches the network' },
  {
    verb: 'curl',
    option: '--libcurl --proxy-insecure --engine',
    risk: 'caution',
    reason: 'writes a file, or loads code',
  },
  { verb: 'curl', option: '--engine', risk: 'dangerous', reason: 'loads code' },
  { verb: 'wget', option: '--use-askpass -e --execute', risk: 'dangerous', reason: 'has wget run a command' },
  {
    verb: 'aria2c',
    option:
      '--on-download-complete --on-download-start --on-bt-download-complete --on-download-error --on-download-stop',
    risk: 'dangerous',
    reason: 'has it run a command',
  },
  { verb: 'nc ncat netcat socat telnet', risk: 'caution', reason: 'opens a connection' },
  {
    verb: 'nc ncat netcat',
    option: '-e -c --exec --sh-exec --lua-exec',
    risk: 'dangerous',
    reason: 'gives a shell to the other side',
  },
  {
    verb: 'socat',
    argument: /(^|,|!!)(EXEC|SYSTEM|SHELL|GOPEN|OPEN|CREATE|PTY):?/i,
    risk: 'dangerous',
    reason: 'gives a shell to the other side',
  },
  { verb: 'lftp ftp', option: '-e -c', risk: 'dangerous', reason: 'runs commands on the other side' },
  { verb: 'ssh', option: '-R -L -D -w -A', risk: 'caution', reason: 'opens a tunnel' },
  { verb: 'nmap', option: '--script --script-args --script-args-file', risk: 'dangerous', reason: 'runs scripts' },
  { verb: 'msfconsole msfvenom hydra sqlmap', risk: 'dangerous', reason: 'attacks other machines' },

  {
    verb: 'docker podman nerdctl',
    sub: 'rm | rmi | kill | container rm | container kill | container prune | image rm | image prune | volume rm | volume prune | network rm | network prune | system prune | builder prune | buildx prune | system reset | machine reset | compose rm | compose kill | swarm leave | stack rm | service rm | secret rm | config rm | context rm | machine rm | pod rm | pod kill',
    risk: 'dangerous',
    reason: 'removes containers, images or volumes',
  },
  {
    verb: 'docker podman nerdctl docker-compose',
    sub: 'compose down | down',
    option: '-v --volumes --rmi',
    risk: 'dangerous',
    reason: 'removes volumes or images',
  },
  { verb: 'docker-compose', sub: 'rm | kill', risk: 'dangerous', reason: 'removes containers' },
  {
    verb: 'docker podman nerdctl',
    sub: 'run | create | exec | compose run | compose exec | container run | container exec',
    option: '--privileged --cap-add --device --security-opt',
    risk: 'dangerous',
    reason: 'gives a container rights over the machine',
  },
  {
    verb: 'docker podman nerdctl',
    argument: /^(--(pid|ipc|uts|userns|network|net|cgroupns)=host|host)$/,
    option: '--pid --ipc --uts --userns',
    risk: 'dangerous',
    reason: 'gives a container rights over the machine',
  },
  {
    verb: 'docker podman nerdctl',
    argument:
      /^(-v|--volume=|--mount=)?((.*(source|src)=)?(\/|\/(etc|root|home|usr|var|boot|dev|proc|sys|bin|lib)\/?|~|\$HOME)([:,]|$)|.*docker\.sock)/,
    sub: 'run | create | container run | compose run',
    risk: 'dangerous',
    reason: 'gives a container the disk of the machine',
  },

  {
    verb: 'kubectl oc',
    argument: /(^|,)secrets?([./].*)?(,|$)/i,
    option: '-o --output --template',
    value: /^(?!(wide|name)$)/,
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  {
    verb: 'docker podman nerdctl docker-compose podman-compose',
    sub: 'compose config | compose convert',
    without: '-q --quiet --services --images --volumes --networks --models --hash',
    risk: 'dangerous',
    reason: 'shows the secrets that containers are given',
  },
  {
    verb: 'docker-compose podman-compose',
    sub: 'config',
    without: '-q --quiet --services --images --volumes --networks --models --hash',
    risk: 'dangerous',
    reason: 'shows the secrets that containers are given',
  },
  {
    verb: 'git npm pnpm yarn gh glab pip poetry composer cargo conda bundle',
    sub: 'config',
    argument: /token|passw|_auth|extraheader|secret|api[-_]?key/i,
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  { verb: 'kubectl oc', option: '--raw', argument: /\bsecrets?\b/, risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'kubectl oc', sub: 'config view', option: '--raw', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'kubectl oc', sub: 'create token | whoami -t', risk: 'dangerous', reason: 'gives out secrets' },
  {
    verb: 'kubectl oc',
    sub: 'delete | drain | cordon | replace | taint | evict',
    risk: 'dangerous',
    reason: 'removes things from the cluster',
  },
  {
    verb: 'kubectl oc',
    sub: 'scale',
    option: '--replicas',
    value: /^0$/,
    risk: 'dangerous',
    reason: 'ends all that runs of it',
  },
  { verb: 'kubectl oc', option: '--prune', risk: 'dangerous', reason: 'removes things from the cluster' },
  { verb: 'helm', sub: 'uninstall | delete | rollback | del | un', risk: 'dangerous', reason: 'removes a release' },
  { verb: 'helm', option: '--post-renderer', risk: 'dangerous', reason: 'has helm run a command' },
  {
    verb: 'terraform tofu terragrunt pulumi cdk serverless sls',
    sub: 'destroy | state rm | workspace delete | stack rm | taint | remove | down',
    risk: 'dangerous',
    reason: 'destroys what it has built',
  },
  {
    verb: 'terraform tofu terragrunt',
    option: '-destroy -auto-approve',
    risk: 'dangerous',
    reason: 'changes the infrastructure unasked',
  },
  { verb: 'pulumi', option: '-y --yes', risk: 'dangerous', reason: 'changes the infrastructure unasked' },
  {
    verb: 'gh glab',
    sub: '* delete | * close | repo archive | repo rename | repo transfer | secret set | * remove',
    risk: 'dangerous',
    reason: 'removes something on the forge',
  },
  { verb: 'gh glab', sub: 'pr close | issue close', risk: 'caution', reason: 'changes something on the forge' },
  {
    verb: 'gh glab',
    sub: 'api',
    argument: /^(-X|--method=)?(DELETE|PUT|PATCH)$/i,
    risk: 'dangerous',
    reason: 'changes something on the forge',
  },
  {
    verb: 'gh glab',
    sub: 'alias set | extension install | extension exec | config set',
    risk: 'dangerous',
    reason: 'adds commands',
  },
  { verb: 'gh glab', sub: 'auth status', option: '-t --show-token', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'gh', sub: 'auth token', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'gh', option: '--show-token', risk: 'dangerous', reason: 'gives out secrets' },
  {
    verb: 'gcloud',
    sub: 'auth print-access-token | auth print-identity-token | auth application-default print-access-token | secrets versions access',
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  {
    verb: 'aws',
    argument:
      /^(get-secret-value|batch-get-secret-value|get-parameters?(-by-path)?|get-session-token|get-login-password|get-authorization-token|get-federation-token|assume-role(-with-\w+)?|get-password-data|export-credentials|get-role-credentials|decrypt|create-access-key|get-login)$/,
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  { verb: 'aws', sub: 'configure get | configure export-credentials', risk: 'dangerous', reason: 'gives out secrets' },
  {
    verb: 'az',
    sub: 'account get-access-token | keyvault secret show | keyvault secret download',
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  {
    verb: 'az',
    argument: /^(keys|credential|connection-string|show-connection-string|list-keys)$/,
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  {
    verb: 'op pass gopass bw lpass keepassxc-cli secret-tool rbw dashlane',
    sub: 'read | show | get | item get | document get | export | lookup | find | grep | ls -p | signin | unlock',
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  { verb: 'pass gopass', sub: '*', risk: 'dangerous', reason: 'gives out secrets' },
  {
    verb: 'vault',
    sub: 'read | kv get | token create | token lookup | print token | unwrap',
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  { verb: 'heroku', sub: 'auth:token | config | config:get', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'doppler', sub: 'secrets', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'fly flyctl', sub: 'auth token | tokens create', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'vercel', sub: 'env pull', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'netlify', sub: 'env:list | env:get', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'terraform tofu', sub: 'state pull', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'sops ansible-vault age rage', option: '-d --decrypt', risk: 'dangerous', reason: 'gives out secrets' },
  { verb: 'ansible-vault sops', sub: 'decrypt | view | edit', risk: 'dangerous', reason: 'gives out secrets' },
  {
    verb: 'docker-credential-desktop docker-credential-osxkeychain docker-credential-pass docker-credential-secretservice git-credential-osxkeychain git-credential-store git-credential-libsecret git-credential-manager git-credential-cache',
    sub: 'get | list',
    risk: 'dangerous',
    reason: 'gives out secrets',
  },
  { verb: 'ssh-keygen', option: '-p -y', risk: 'caution', reason: 'works on a key' },
  {
    verb: 'aws',
    argument:
      /^(delete|terminate|remove|deregister|destroy|purge|reset|revoke|disable|stop|detach|cancel|reboot|put-bucket-policy|batch-delete)(-[\w-]+)?$/,
    risk: 'dangerous',
    reason: 'removes something in the cloud',
  },
  { verb: 'aws', sub: 's3 rm | s3 rb', risk: 'dangerous', reason: 'removes something in the cloud' },
  { verb: 'aws gsutil', option: '--delete -d', risk: 'dangerous', reason: 'removes something in the cloud' },
  {
    verb: 'gcloud az doctl linode-cli hcloud oci ibmcloud flyctl fly heroku vercel netlify firebase wrangler supabase eksctl kops railway rclone s3cmd mc b2 gsutil vault consul etcdctl argocd velero',
    argument:
      /^([\w.]+:)?(delete\S*|destroy|remove|rm|rb|purge|erase|terminate|deletefile|cleanup|undeploy|mb|del|rmdirs?|down)$/,
    risk: 'dangerous',
    reason: 'removes something in the cloud',
  },
  { verb: 'rclone', sub: 'sync | move', risk: 'dangerous', reason: 'removes files that the other side lacks' },

  {
    verb: 'mongosh mongo redis-cli pg_dump pg_dumpall mysqldump mongodump mongoexport pg_restore mongorestore createdb createuser',
    risk: 'caution',
    reason: 'works on a database',
  },
  { verb: 'dropdb dropuser mysqladmin pg_dropcluster', risk: 'dangerous', reason: 'removes a database' },
  {
    verb: 'redis-cli',
    argument: /^(flushall|flushdb|shutdown|config|debug|eval|script|module|del|unlink|slaveof|replicaof)$/i,
    risk: 'dangerous',
    reason: 'removes data, or runs code in the database',
  },
  {
    verb: 'mongosh mongo',
    argument:
      /^(?!-).*(drop|remove|delete|\beval\b|\bload\b|require|process|child|spawn|exec|runCommand|adminCommand|shutdown|compact|replace|update|insert|\$out|\$merge|\$where|function)/is,
    risk: 'dangerous',
    reason: 'may remove data or run code',
  },
  { verb: 'mongorestore', option: '--drop', risk: 'dangerous', reason: 'removes data' },
  { verb: 'pg_restore', option: '-c --clean', risk: 'dangerous', reason: 'removes data' },
];

/** SQL that removes, and what lets a client of a database run commands. */
export const HARMFUL_SQL: RegExp =
  /\b(update\s+\S+\s+set\b(?![\s\S]*\bwhere\b)|drop\s+(table|database|keyspace|measurement|series|bucket|collection|schema|view|index|user|role|column|function|trigger)|truncate\b|delete\s+from|alter\s+table\s+\S+\s+drop|load_extension|xp_cmdshell|into\s+(outfile|dumpfile)|(to|from)\s+program)\b|(^|\n|\s)(\.(shell|system|import|load|restore|output|once)|\\(!|copy|o|i|ir|g)|system)\s|\\!/i;

export const SQL_CLIENTS = 'psql mysql mariadb sqlite3 sqlite sqlcmd clickhouse-client duckdb cqlsh influx';

export const REMOTE_VALUED: ValueOptions = {
  docker:
    '-H -c -l --host --context --config --log-level -f --file -p --project-name --profile --env-file --ansi --project-directory --progress --parallel',
  podman: '-c --connection --url --root',
  'docker-compose': '-f -p --file --project-name --profile --env-file --ansi --project-directory',
  kubectl: '-n -o -l -f --namespace --context --kubeconfig --cluster --user --output --selector',
  oc: '-n -o -l -f --namespace --context',
  mongosh: '--host --port -u -p --username --password --authenticationDatabase',
  helm: '-n --namespace --kube-context --kubeconfig',
  aws: '--profile --region --output --endpoint-url --query',
  gh: '-R --repo',
  terraform: '-chdir',
};
