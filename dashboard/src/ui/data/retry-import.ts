const TRIES = 4;
const AGAIN_MS = 700;

/** Imports a part of the page, with retries after a failure. Throws the last error. */
export async function retryImport<T>(load: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      const part = await load();
      // Waits for a new task, so that the page handles input before the caller renders the module.
      await new Promise((resolve) => setTimeout(resolve));
      return part;
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * tries));
    }
  }
}
