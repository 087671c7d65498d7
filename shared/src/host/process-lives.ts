/** Whether there is a process of this id on this host, whoever it belongs to. */
export function processLives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
