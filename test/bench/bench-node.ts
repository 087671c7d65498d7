/** The Node that starts are measured on: `SWITCHYARD_BENCH_NODE`, else the one that runs the bench. */
export const benchNode = process.env['SWITCHYARD_BENCH_NODE'] ?? process.execPath;
