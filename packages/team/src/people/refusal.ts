import type { PersonScope } from './scopes.ts';

export interface Refusal {
  readonly status: 401 | 403 | 429 | 503;
  readonly message: string;
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** The scopes to ask the provider for: those that are missing, and those that the person has. */
  readonly scopes?: readonly PersonScope[];
  readonly retryAfter?: number;
}
