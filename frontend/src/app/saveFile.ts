/** Hands a file to the person, as a download under this name. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // the download has begun by then; the address is not needed any more
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
