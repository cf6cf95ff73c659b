/** A server of PostgreSQL that nobody else uses. */
export interface Cluster {
  /** The address of its first database. */
  readonly url: string;
  urlOf(database: string): string;
  start(): void;
  stop(): void;
  /** Runs a statement as an operator would, and returns what is printed. */
  execute(text: string): string;
  /** Stops it if it runs. */
  end(): void;
}

export function findPostgres(): string | undefined;
export function startCluster(bin: string, place: string, settings?: string): Cluster;
