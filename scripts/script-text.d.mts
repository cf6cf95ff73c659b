import type { Plugin } from 'rolldown';

export function scriptText(): Plugin;
