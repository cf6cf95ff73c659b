import { ERROR_CODES } from '@jinn/core/errors';
import { visualizationJsonSchema } from '@jinn/core/visualization/visualization-schema';
import PROTOCOL from './protocol.json' with { type: 'json' };

/** Makes the JSON Schema of what jinn reads and of what it writes, each a value of its own. It loads zod for the visualizations. */
export function protocolSchema(): object {
  const { error_code: code } = PROTOCOL.$defs.failure.properties;
  Object.assign(code, { enum: ERROR_CODES });
  return { ...PROTOCOL, $defs: { ...PROTOCOL.$defs, visualization: visualizationJsonSchema() } };
}
