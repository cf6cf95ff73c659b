import { Card } from '@jinn/views/show/card';
import { DataTableView } from '@jinn/views/show/data-table-view';
import { toShown } from '@jinn/views/text/shown-text';
import { useState } from 'preact/hooks';
import { change } from './page-api.ts';
import { Button, Notes, Panel, Said, SureButton, useChange, useRead } from './small-parts.tsx';

interface CustomTool {
  readonly name: string;
  readonly runtime: string;
  readonly folder: string;
  readonly state: string;
  readonly dangerous: boolean;
  readonly asks: string;
  readonly missing_env: readonly string[];
  readonly description: string;
}

interface Variable {
  readonly name: string;
  readonly set: boolean;
  readonly needed_by: readonly string[];
}

interface ToolsAnswer {
  readonly tools: readonly CustomTool[];
  readonly problems: readonly string[];
  readonly variables: readonly Variable[];
  readonly costs: readonly { readonly name: string; readonly effect: string; readonly tokens: number }[];
  readonly total: number;
}

const COLUMNS = [{ key: 'name' }, { key: 'effect' }, { key: 'tokens' }];

/** Shows the custom tools of a workspace, their variables, and what each tool costs. */
export function ToolsTab({ workspace }: { workspace: string }) {
  const { value, fault, again } = useRead<ToolsAnswer>('tools', { workspace });
  const { said, run } = useChange(again);
  if (!value) return <Said text={fault || 'Loading'} />;
  const { tools, problems, variables, costs, total } = value;
  const title = `What the list of tools costs a model over MCP: ${total.toLocaleString('en')} tokens (o200k)`;
  return (
    <>
      <Said text={fault || said} />
      <h2>Custom tools</h2>
      {tools.length === 0 && <p class="note">There are none; jinn tools new NAME writes one.</p>}
      {tools.map((tool) => (
        <ToolCard
          key={tool.folder}
          tool={tool}
          workspace={workspace}
          trust={(shown, names) => run(change('trust', { workspace, name: tool.name, shown, variables: names }))}
        />
      ))}
      {problems.map((problem) => (
        <p key={problem} class="note bad">
          {toShown(problem)}
        </p>
      ))}
      {variables.length > 0 && <h2>Variables</h2>}
      {variables.map((variable) => (
        <VariableRow
          key={variable.name}
          variable={variable}
          set={(text) => run(change('variable', { workspace, name: variable.name, value: text }))}
        />
      ))}
      <DataTableView table={{ type: 'table', title, columns: COLUMNS, rows: [...costs] }} isOpen />
    </>
  );
}

interface ToolCardProps {
  readonly tool: CustomTool;
  readonly workspace: string;
  readonly trust: (shown: string, variables: string) => void;
}

function ToolCard({ tool, workspace, trust }: ToolCardProps) {
  const { name, folder, runtime, state, dangerous, asks, missing_env, description } = tool;
  return (
    <Panel
      title={name}
      facts={
        <>
          {dangerous && <span class="badge bad">dangerous</span>}
          <span class={state === 'ready' ? 'badge good' : 'badge warn'}>{toShown(state)}</span>
          <span>{[runtime, folder, `asks: ${asks}`].map(toShown).join(' · ')}</span>
          {missing_env.length > 0 && <span>without {toShown(missing_env.join(', '))}</span>}
        </>
      }
    >
      <Notes of={[description]} />
      {state === 'not trusted' && (
        <Card
          title={`Look at ${name}`}
          isOpen={false}
          isInner
          body={() => <TrustForm {...{ workspace, name, trust }} />}
        />
      )}
    </Panel>
  );
}

function TrustForm({ workspace, name, trust }: Pick<ToolCardProps, 'workspace' | 'trust'> & { name: string }) {
  const { value, fault } = useRead<{ shown: string }>('tool', { workspace, name });
  const [variables, setVariables] = useState('');
  if (!value) return <Said text={fault || 'Loading'} />;
  return (
    <>
      <pre class="asked">{value.shown}</pre>
      <p class="answers">
        <label>
          Variables that it gets{' '}
          <input value={variables} onInput={(event) => setVariables(event.currentTarget.value)} />
        </label>
        <SureButton label="Trust it as it is" sure="Really trust it" act={() => trust(value.shown, variables)} />
      </p>
    </>
  );
}

function VariableRow({ variable, set }: { variable: Variable; set: (value: string | null) => void }) {
  const [text, setText] = useState('');
  const name = toShown(variable.name);
  return (
    <p class="answers">
      <code>{name}</code>
      <span class="quiet">
        {variable.set ? 'set' : 'not set'}
        {variable.needed_by.length > 0 && `, for ${toShown(variable.needed_by.join(', '))}`}
      </span>
      <input
        type="password"
        autocomplete="off"
        aria-label={`New value of ${name}`}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button isOff={text === ''} press={() => set(text)}>
        Set
      </Button>
      {variable.set && <SureButton label="Unset" sure="Really unset" act={() => set(null)} />}
    </p>
  );
}
