export { createVersionDigest } from './content-version.ts';
export type { Envelope } from './envelope.ts';
export { ToolError } from './errors.ts';
export type { OpenFile } from './open-file.ts';
export { createRegistry, type Request, type Toolset, toFailure } from './registry.ts';
export { createSession, type Session } from './session.ts';
export { createSpill, type Spill } from './spill.ts';
export { defineTool, type Tool, type ToolContext, type ToolOutput } from './tool.ts';
export { openWorkspace } from './workspace.ts';
