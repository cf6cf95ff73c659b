/** Returns the address of its page that a `jinn ui` prints. Rejects if it ends before. */
export function readAddress(ui) {
  let printed = '';
  return new Promise((resolve, reject) => {
    ui.on('exit', () => reject(new Error(`jinn ui ended: ${printed}`)));
    ui.stdout.on('data', (chunk) => {
      printed += chunk;
      const [address] = /http:\S+(?=\s)/.exec(printed) ?? [];
      if (address) resolve(address);
    });
  });
}
