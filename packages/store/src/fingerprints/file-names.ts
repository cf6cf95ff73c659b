/**
 * Names of files, as servers and build tools look for them: `name`, `directory/name`, `*.name`, or `directory/` for all
 * that a directory holds. `*` stands for any characters of the last name. Upper and lower case are the same, as they are
 * on some systems.
 */
export class FileNames {
  readonly #plain: ReadonlySet<string>;
  readonly #starred: readonly RegExp[];
  readonly #below = new Map<string, string[]>();

  constructor(names: readonly string[]) {
    const bare = names.map((name) => name.toLowerCase()).filter((name) => !name.includes('/'));
    this.#plain = new Set(bare.filter((name) => !name.includes('*')));
    this.#starred = bare.filter((name) => name.includes('*')).map(toPattern);
    for (const name of names.filter((one) => one.includes('/'))) {
      const at = name.indexOf('/');
      const first = name.slice(0, at).toLowerCase();
      this.#below.set(first, [...(this.#below.get(first) ?? []), name.slice(at + 1)]);
    }
  }

  has(name: string): boolean {
    const lower = name.toLowerCase();
    return this.#plain.has(lower) || this.#starred.some((pattern) => pattern.test(lower));
  }

  /**
   * Returns the names that count below a directory of this name, as paths from there; an empty path is the directory
   * itself.
   */
  below(directory: string): readonly string[] {
    return this.#below.get(directory.toLowerCase()) ?? [];
  }
}

/** Makes the pattern of a name with `*`, for names in lower case. */
export function toPattern(name: string): RegExp {
  return new RegExp(`^${name.toLowerCase().split('*').map(escapePattern).join('.*')}$`);
}

/** Makes a pattern for the relative paths, with slashes, that one of these names means. */
export function toPathPattern(names: readonly string[]): RegExp {
  const patterns = names.map((name) => {
    const pattern = name.split('*').map(escapePattern).join('[^/]*');
    return name.endsWith('/') ? pattern : `${pattern}$`;
  });
  return patterns.length === 0 ? /(?!)/ : new RegExp(`(?:^|/)(?:${patterns.join('|')})`, 'i');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
