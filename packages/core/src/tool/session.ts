import { type ChangedFile, createReadRecords, type ReadRecords } from '@jinn/workspace';
import { ToolError } from '../errors/index.ts';

/** Keeps services longer than a call. A process that serves one request has a session of one call. */
export interface Session {
  /** True if no later call can come. */
  readonly endsWithCall: boolean;
  readonly reads: ReadRecords;
  /**
   * Returns the one instance of a service in this session, which closes it at its end: `create` runs at the first call
   * with that very function. Throws `canceled` after that.
   */
  use<T extends Service>(create: () => T): T;
  /** Returns the remarks of the services on the files that a call has changed, for the `meta` of the answer. */
  notifyChanged(files: readonly ChangedFile[], signal: AbortSignal | undefined): Promise<object>;
  /** Returns the remarks of the services on earlier calls, for the `meta` of an answer that changed no files. */
  news(): Promise<object>;
  readonly hasServices: boolean;
  /** True while work may continue between calls: a service was asked for that is not passive. */
  readonly worksBetweenCalls: boolean;
  /** Closes the services, the youngest first, whether one fails or not. */
  close(): Promise<void>;
}

export interface Service {
  /** True while it only holds data, so that nothing runs between calls. */
  readonly isPassive?: boolean;
  close?(): void | Promise<void>;
  /** Returns remarks on earlier calls, each once. It waits for nothing. */
  news?(): Promise<object | undefined>;
  /** Called before the answer of a call that changed files. Returns members for its `meta`. Takes a bounded time. */
  filesChanged?(files: readonly ChangedFile[], signal: AbortSignal | undefined): Promise<object | undefined>;
}

export function createSession({ endsWithCall = false }: { readonly endsWithCall?: boolean } = {}): Session {
  const services = new Map<() => Service, Service>();
  let hasEnded = false;
  const gather = async (say: (service: Service) => Promise<object | undefined> | undefined): Promise<object> => {
    // The call has done its work: that a service fails does not make it fail.
    const settled = await Promise.allSettled([...services.values()].map(async (service) => say(service)));
    return Object.assign({}, ...settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)));
  };
  return {
    endsWithCall,
    reads: createReadRecords(endsWithCall),
    use: <T extends Service>(create: () => T) => {
      const known = services.get(create);
      if (known) return known as T;
      if (hasEnded) throw new ToolError('canceled', 'the session has ended');
      const service = create();
      services.set(create, service);
      return service;
    },
    notifyChanged: (files, signal) => gather((service) => service.filesChanged?.(files, signal)),
    news: () => gather((service) => service.news?.()),
    get hasServices() {
      return services.size > 0;
    },
    get worksBetweenCalls() {
      for (const { isPassive } of services.values()) if (!isPassive) return true;
      return false;
    },
    close: async () => {
      hasEnded = true;
      const youngestFirst = [...services.values()].reverse();
      services.clear();
      await Promise.allSettled(youngestFirst.map(async (service) => service.close?.()));
    },
  };
}
