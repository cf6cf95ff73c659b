/** How many items are visited before other work gets its turn. */
const PER_TURN = 20_000;

/**
 * Visits all items. If there are more than `perTurn`, it awaits `checkpoint` before each `perTurn` of them; else it
 * returns undefined, and all is done. Throws the errors of `checkpoint` and `visit`.
 */
export function visitInTurns<T>(
  items: readonly T[],
  checkpoint: () => Promise<void>,
  visit: (item: T) => void,
  perTurn = PER_TURN,
): Promise<void> | undefined {
  if (items.length > perTurn) return takeTurns(items, checkpoint, visit, perTurn);
  for (const item of items) visit(item);
  return undefined;
}

async function takeTurns<T>(
  items: readonly T[],
  checkpoint: () => Promise<void>,
  visit: (item: T) => void,
  perTurn: number,
): Promise<void> {
  for (let i = 0; i < items.length; i++) {
    if (i % perTurn === 0) await checkpoint();
    visit(items[i] as T);
  }
}
