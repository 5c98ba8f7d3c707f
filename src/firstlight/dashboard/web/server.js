// Asking the server. While it does not answer, the page says so and keeps what it shows.

const lost = document.getElementById("lost");

export async function ask(path) {
  try {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    lost.hidden = true;
    return answer.ok ? await answer.json() : null;
  } catch {
    lost.hidden = false;
    return null;
  }
}

export function listen(path, onPicture) {
  const stream = new EventSource(path);
  stream.addEventListener("picture", (event) => {
    lost.hidden = true;
    onPicture(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    lost.hidden = stream.readyState === EventSource.OPEN;
  });
  return () => stream.close();
}

export function pathOf(run, ...rest) {
  return ["/api/runs", encodeURIComponent(run), ...rest].join("/");
}
