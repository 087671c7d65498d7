const TRIES = 4;
const AGAIN_MS = 700;

/** Imports a part of the page, with retries for failures of the network. Throws the last error. */
export async function retryImport<T>(load: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      const part = await load();
      // Draws in a separate task, so that the page can respond in between.
      await new Promise((resolve) => setTimeout(resolve));
      return part;
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * tries));
    }
  }
}
