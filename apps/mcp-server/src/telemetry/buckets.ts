/** The bounds of durations, in seconds: those of the conventions of OpenTelemetry for requests of MCP. */
export const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
export const SESSION_BUCKETS = [1, 10, 60, 300, 900, 1_800, 3_600, 14_400, 86_400];
