/** Values of a runner that stay the same while its process lives. */
export type RunnerSettings = {
  runnerId: string;
  bootId: string;
  /** Folder with all data of this runner. */
  dataDir: string;
  /** Sandbox image where none is named. */
  image: string;
};
