"""Models of the optional `neural` extra: how they are loaded, and what their files hash to."""

import inspect
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from retrievers.base import RetrievalError
from retrievers.digest import joint_digest

_FILES = (".safetensors", ".bin", ".json", ".txt", ".model")
# Seconds for the hub's answer whether it has a model.
_PATIENCE = 2.0
_PICKLED = {".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"}
_TO_TRANSFORMERS = ("model_kwargs", "automodel_args")
_OTHER_FORMATS = {"onnx", "openvino"}


@lru_cache(maxsize=4)
def load_model(kind: str, model: str, revision: str | None, device: str | None, max_length: int | None) -> Any:
    """Return a SentenceTransformer or a CrossEncoder (`kind`), one copy a process.

    model: a folder, or a name on the Hugging Face hub, fetched where it is not in the local cache yet.
    Raises RetrievalError where the extra is not installed or the model cannot be loaded, and for weights that are
    pickled: reading those runs whatever code is in them.
    """
    try:
        import sentence_transformers
    except ImportError as error:
        raise RetrievalError(
            f"{model}: needs the `neural` extra, which is not installed; `pip install sentence-transformers`, "
            "or use the embedded embedder=wordllama and reranker=late_interaction"
        ) from error
    settings: dict[str, Any] = {"revision": revision, "device": device}
    if max_length is not None:
        settings["max_length"] = max_length
    folder = Path(model) if Path(model).is_dir() else _cached_folder(model, revision)
    if folder is not None:
        _refuse_pickles(model, folder)
    else:
        _refuse_unreachable(model, revision)
    make = getattr(sentence_transformers, kind)
    # What has yet to be downloaded is refused by the library. Its name for these settings has changed.
    accepted = inspect.signature(make).parameters
    settings |= {name: {"use_safetensors": True} for name in _TO_TRANSFORMERS if name in accepted}
    try:
        return make(model, **settings)
    except Exception as error:  # the hub, torch and transformers each raise their own
        raise RetrievalError(
            f"{model}: cannot be loaded as a {kind} (revision {revision or 'newest'}): {_first_line(error)}; "
            "check the name, or give the path of a folder that holds the model"
        ) from error


def lacking_model(model: str, revision: str | None) -> str | None:
    """What stands in the way of using a model without the network, in words; None where nothing does."""
    if find_spec("sentence_transformers") is None:
        return "the `neural` extra is not installed"
    if Path(model).is_dir() or _cached_folder(model, revision) is not None:
        return None
    return f"{model} is not downloaded"


def _refuse_unreachable(model: str, revision: str | None) -> None:
    """Ask the hub once, briefly, whether it has the model; the libraries would try for more than a minute."""
    try:
        from huggingface_hub import HfApi, constants
    except ImportError:
        return  # the library says so
    advice = "check the name, or give the path of a folder that holds the model"
    if constants.HF_HUB_OFFLINE:
        raise RetrievalError(f"{model}: is in no local cache, and HF_HUB_OFFLINE forbids to fetch it; {advice}")
    # A name without an owner is one of the library's own models.
    names = [model] if "/" in model else [f"sentence-transformers/{model}", model]
    for name in names:
        try:
            HfApi().model_info(name, revision=revision, timeout=_PATIENCE)
            return
        except Exception as error:  # the hub and its client each raise their own
            reason = _first_line(error)
    raise RetrievalError(f"{model}: is in no local cache, and cannot be had from the hub: {reason}; {advice}")


def _refuse_pickles(model: str, folder: Path) -> None:
    for file in sorted(folder.rglob("*")):
        if file.suffix not in _PICKLED or _OTHER_FORMATS & set(file.relative_to(folder).parts):
            continue
        if not any(file.parent.glob("*.safetensors")):
            raise RetrievalError(
                f"{model}: {file.relative_to(folder)} holds pickled weights, and reading those can run any code; save "
                "the model as safetensors, or use one that is"
            )


def model_digest(kind: str, model: str, revision: str | None, device: str | None, max_length: int | None) -> str:
    """Return one SHA-256 over the model's weights, settings and vocabulary. Raises as load_model does."""
    return joint_digest(*_model_files(kind, model, revision, device, max_length))


def model_files(
    kind: str, model: str, revision: str | None, device: str | None, max_length: int | None
) -> dict[str, str]:
    """Return the path of every file that is hashed, by `model/` and its name there. Raises as load_model does."""
    root, files = _model_files(kind, model, revision, device, max_length)
    return {f"model/{file.relative_to(root).as_posix()}": str(file) for file in sorted(files)}


def _model_files(
    kind: str, model: str, revision: str | None, device: str | None, max_length: int | None
) -> tuple[Path, list[Path]]:
    root = Path(model)
    if not root.is_dir():
        found = _cached_folder(model, revision)
        if found is None:
            load_model(kind, model, revision, device, max_length)
            found = _cached_folder(model, revision)
        if found is None:
            raise RetrievalError(f"{model}: found no local copy, expected one after loading; give a folder's path")
        root = found
    files = [
        file
        for file in root.rglob("*")
        if file.suffix in _FILES and file.is_file() and not _OTHER_FORMATS & set(file.relative_to(root).parts)
    ]
    # Where both formats are there, safetensors is the one that is loaded.
    safe = {file.parent for file in files if file.suffix == ".safetensors"}
    files = [file for file in files if file.suffix != ".bin" or file.parent not in safe]
    if not files:
        raise RetrievalError(f"{root}: found no model file, expected some ending in {', '.join(_FILES)}")
    return root, files


def _cached_folder(model: str, revision: str | None) -> Path | None:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError:
        return None
    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        return None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
