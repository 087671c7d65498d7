/** A simulated workspace has no files. */
export async function readInstructions(): Promise<string | null> {
  return null;
}
