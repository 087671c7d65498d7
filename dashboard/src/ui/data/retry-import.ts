const TRIES = 4;
const AGAIN_MS = 700;

/** Loads a part of the page, again if the network failed at that moment. Throws the last error. */
export async function retryImport<T>(load: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      const part = await load();
      // What it is drawn with follows in a task of its own: in between, the page can answer.
      await new Promise((resolve) => setTimeout(resolve));
      return part;
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * tries));
    }
  }
}
