/** The bounds of durations, in seconds: for requests as the conventions of OpenTelemetry for MCP have them. */
export const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
export const SESSION_BUCKETS = [1, 10, 60, 300, 900, 1_800, 3_600, 14_400, 86_400];
