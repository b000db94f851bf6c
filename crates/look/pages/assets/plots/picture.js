// Properties that decide the look of an element of a drawing.
const LOOKS = ["display", "fill", "fill-opacity", "font-family", "font-size", "stroke", "stroke-dasharray",
  "stroke-linecap", "stroke-opacity", "stroke-width", "visibility"];

// Saves the drawing as it is now as a picture, twice as large as the drawing is.
const savePicture = async (plot) => {
  plot.point();
  const { svg } = plot;
  const copy = svg.cloneNode(true);
  const copies = copy.querySelectorAll("*");
  [...svg.querySelectorAll("*")].forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const look of LOOKS) copies[index].setAttribute(look, style.getPropertyValue(look));
  });
  const size = { width: plot.width * 2, height: plot.height * 2 };
  for (const [key, value] of Object.entries(size)) copy.setAttribute(key, value);
  const picture = new Image();
  picture.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), size);
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
  context.fillRect(0, 0, size.width, size.height);
  context.drawImage(picture, 0, 0);
  const link = document.createElement("a");
  link.href = canvas.toDataURL();
  link.download = `${plot.figure.querySelector("figcaption").textContent}.png`;
  link.click();
};
