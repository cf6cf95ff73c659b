const PER_TURN = 20_000;

/** Visits all items. Returns undefined when all is done. For more than `perTurn`, it awaits `checkpoint` in between. */
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
