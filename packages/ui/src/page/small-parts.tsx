import { toShown } from '@jinn/views/text/shown-text';
import { useCallback, useEffect, useId, useState } from 'preact/hooks';
import { read } from './page-api.ts';

const SURE_MS = 4_000;

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: string;
  readonly names?: (value: string) => string;
  readonly choose: (value: string) => void;
}

/** Lets the user choose one of some values. */
export function ChoiceField({ label, values, value, names = toShown, choose }: ChoiceProps) {
  const id = useId();
  return (
    <>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {values.map((each) => (
          <option key={each} value={each}>
            {names(each)}
          </option>
        ))}
      </select>
    </>
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
    <button type="button" class={isAsked ? 'more bad' : 'more'} onClick={press}>
      {isAsked ? sure : label}
    </button>
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
export function useChange(after: () => void) {
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

/** Shows the result of a change. */
export function Said({ text }: { text: string }) {
  return (
    <p role="status" class="note">
      {toShown(text)}
    </p>
  );
}
