import { toShown } from '@jinn/views/text/shown-text';
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { shownTime } from './call-words.ts';
import { type CallEvent, type CallEvents, type RunningCalls, read } from './page-api.ts';

const SURE_MS = 4_000;

interface LiveState {
  readonly hear: CallEvents;
  /** A number that grows when calls may have been missed. */
  readonly breaks: number;
  /** The calls that wait for the user. */
  readonly waiting: ReadonlySet<string>;
  readonly running: RunningCalls;
  openQuestions(): void;
  openSession(session: string): void;
}

/** What happens now, for all parts of the page. */
export const Live = createContext<LiveState | undefined>(undefined);

/** Returns what happens now. */
export function useLive(): LiveState {
  return useContext(Live) as LiveState;
}

/** Calls back with each event about calls, as long as the component is there. */
export function useCallEvents(onEvent: (event: CallEvent) => void): void {
  const { hear } = useLive();
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    const listen = (event: CallEvent) => latest.current(event);
    hear.add(listen);
    return () => void hear.delete(listen);
  }, []);
}

interface ButtonProps {
  readonly press: () => void;
  readonly look?: string;
  readonly isOff?: boolean;
  readonly isPressed?: boolean;
  /** True for a button that Enter does not press. */
  readonly isGuarded?: boolean;
  readonly children: ComponentChildren;
}

/** Shows a button. */
export function Button({ press, look = '', isOff, isPressed, isGuarded, children }: ButtonProps) {
  const guard = (event: KeyboardEvent) => isGuarded && event.key === 'Enter' && event.preventDefault();
  return (
    <button
      type="button"
      class={`more ${look}`}
      disabled={isOff}
      aria-pressed={isPressed}
      onKeyDown={guard}
      onClick={press}
    >
      {children}
    </button>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: string;
  readonly names?: (value: string) => string;
  readonly choose: (value: string) => void;
}

/** Lets the user choose one of some values. */
export function ChoiceField({ label, values, value, names = toShown, choose }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {values.map((each) => (
        <option key={each} value={each}>
          {names(each)}
        </option>
      ))}
    </select>
  );
}

/** Shows a button that needs a second press: the target of the first press may have moved. */
export function SureButton({ label, sure, act }: { label: string; sure: string; act: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const press = () => {
    if (isAsked) act();
    else setTimeout(() => setAsked(false), SURE_MS);
    setAsked(!isAsked);
  };
  return (
    <Button look={isAsked ? 'bad' : ''} press={press}>
      {isAsked ? sure : label}
    </Button>
  );
}

/** Reads something from the server, and returns it with a function to read it again. */
export function useRead<T>(path: string, query: Readonly<Record<string, string | undefined>>) {
  const [value, setValue] = useState<T>();
  const [fault, setFault] = useState('');
  const key = JSON.stringify(query);
  const again = useCallback(() => {
    read<T>(path, JSON.parse(key)).then(
      (found) => {
        setValue(found);
        setFault('');
      },
      (error: Error) => setFault(error.message),
    );
  }, [path, key]);
  useEffect(again, [again]);
  return { value, fault, again };
}

/** Runs changes, and returns the result of the last one as a sentence. */
export function useChange(after: () => void = () => {}) {
  const [said, setSaid] = useState('');
  const run = (work: Promise<{ text?: string }>) =>
    void work.then(
      ({ text = 'done' }) => {
        setSaid(text);
        after();
      },
      (error: Error) => setSaid(error.message),
    );
  return { said, run };
}

interface PanelProps {
  readonly title: string;
  readonly facts: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Shows a card with a heading, and facts next to it. */
export function Panel({ title, facts, children }: PanelProps) {
  return (
    <article class="card">
      <header>
        <h2>
          <bdi>{toShown(title)}</bdi>
        </h2>
        <span class="facts">{facts}</span>
      </header>
      {children}
    </article>
  );
}

/** Shows sentences, each in its own line. */
export function Notes({ of }: { of: readonly string[] }) {
  return (
    <>
      {of.map((sentence) => (
        <p key={sentence} class="note">
          {toShown(sentence)}
        </p>
      ))}
    </>
  );
}

/** Shows the result of a change. */
export function Said({ text }: { text: string }) {
  return (
    <p role="status" class="note">
      {toShown(text)}
    </p>
  );
}

/** Calls back for keys, by their names. Keys in fields, and with Ctrl, Alt or Meta, are left to the browser. */
export function useKeys(keys: Readonly<Record<string, () => void>>, isActive = true): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, key } = event;
      const isField = target instanceof Element && target.matches('input, select, textarea');
      if (event.ctrlKey || event.altKey || event.metaKey || (isField && key !== 'Escape')) return;
      if (!isActive || !Object.hasOwn(keys, key)) return;
      event.preventDefault();
      keys[key]?.();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  });
}

/** Shows a time, and all of it to who points at it. */
export function Time({ at }: { at: number | string }) {
  return <time title={new Date(at).toString()}>{shownTime(at)}</time>;
}
