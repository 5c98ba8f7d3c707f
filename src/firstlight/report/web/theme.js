// Light, dark, or whatever the system says; the choice is remembered where the browser allows it.

const KEY = "firstlight-theme";
const media = window.matchMedia("(prefers-color-scheme: dark)");

export function themeToggle(button) {
  const chosen = remembered();
  if (chosen) document.documentElement.dataset.theme = chosen;
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember(next);
    announce(button);
  });
  media.addEventListener("change", () => announce(button));
  announce(button);
}

function isDark() {
  return (document.documentElement.dataset.theme ?? (media.matches ? "dark" : "light")) === "dark";
}

function announce(button) {
  button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
}

// Storage is refused in private windows and for some local files.
function remembered() {
  try {
    const value = localStorage.getItem(KEY);
    return value === "dark" || value === "light" ? value : null;
  } catch {
    return null;
  }
}

function remember(value) {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    return;
  }
}
