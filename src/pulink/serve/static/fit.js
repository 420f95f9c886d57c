/* How far the fit is: news that the server sends while it runs. */

import { getJson, send } from "./api.js";
import { one } from "./dom.js";

const progress = one("#progress");
let stage = "";

function follow() {
  const source = new EventSource("/api/progress");
  source.addEventListener("message", (event) => {
    const news = JSON.parse(event.data);
    if (news.state) ended(source, news);
    else tell(news);
  });
  source.addEventListener("error", () => {
    one("#news").textContent = "The server does not answer. Trying again.";
  });
}

function tell(news) {
  if (news.stage && news.stage !== stage) {
    stage = news.stage;
    one("#stage").textContent = stage;
    one("#state").textContent = stage;
  }
  if (news.total > 0) {
    progress.max = news.total;
    progress.value = news.done;
  } else {
    progress.removeAttribute("value");
  }
  const count = news.total > 0 ? `${news.done.toLocaleString("en")} of ${news.total.toLocaleString("en")}` : "";
  one("#news").textContent = [count, news.note].filter(Boolean).join(", ");
}

function ended(source, news) {
  source.close();
  if (news.state === "ready") {
    location.assign("/");
    return;
  }
  one("#stage").textContent = "The fit failed";
  one("#failure").textContent = news.message ?? news.note ?? "";
  progress.hidden = true;
}

async function begin() {
  const run = await getJson("/api/run");
  if (run.state === "ready") {
    location.assign("/");
  } else if (run.state === "fitting") {
    follow();
  } else {
    one("#start").hidden = false;
    progress.hidden = true;
    one("#stage").textContent = run.state === "failed" ? "The fit failed" : "The fit has not begun";
    one("#failure").textContent = run.message ?? "";
  }
}

one("[data-start]").addEventListener("click", async () => {
  try {
    await send("/api/fit", {});
    one("#start").hidden = true;
    one("#failure").textContent = "";
    progress.hidden = false;
    follow();
  } catch (error) {
    one("#state").textContent = error.message;
  }
});

begin();
